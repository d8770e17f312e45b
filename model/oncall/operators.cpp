#include "model/oncall/operators.hpp"

#include "model/capacity/ttl_cache.hpp"

#include <algorithm>
#include <cmath>

namespace retrystorm::oncall {
namespace {

// Moves a control unless it stands there already.
class Moves {
 public:
  explicit Moves(const Sight& sight) : sight_(sight) { actions_.reserve(control_names.size()); }

  void floor(double instances) {
    if (instances != sight_.controls.floor) add(Control::floor, instances);
  }
  void tracking(bool on) {
    if (on != sight_.controls.tracking) add(Control::tracking, on ? 1 : 0);
  }
  void ttl(double seconds) {
    if (seconds != sight_.controls.ttl) add(Control::ttl, seconds);
  }
  void shed(double share) {
    if (share != sight_.controls.shed) add(Control::shed, share);
  }
  void recommendations(bool on) {
    if (on != sight_.controls.recommendations) add(Control::recommendations, on ? 1 : 0);
  }
  void warm_up() {
    if (!sight_.now.warming_up) add(Control::warm_up, 1);
  }
  void rollback() { add(Control::rollback, 1); }

  std::vector<Action> take() { return std::move(actions_); }

 private:
  void add(Control control, double value) { actions_.push_back({sight_.next(), control, value}); }
  const Sight& sight_;
  std::vector<Action> actions_;
};

constexpr int calm_minutes = 30;  // before anything is put back

}  // namespace

std::vector<Action> ScriptedOperator::decide(const Sight& sight) {
  std::vector<Action> due;
  for (; next_ < script_.size() && script_[next_].minute == sight.next(); ++next_) {
    due.push_back(script_[next_]);
  }
  return due;
}

bool Reaction::at_work(bool trouble, int minute) {
  if (ready_ == none && trouble) {
    ready_ = minute + static_cast<int>(exponential(random_, mean_s_) / 60);
  }
  return ready_ != none && minute >= ready_;
}

std::vector<Action> TextbookOperator::decide(const Sight& sight) {
  constexpr double full = 0.95;     // what a worker may be loaded with in need
  constexpr double crowded = 0.85;  // from here on the fleet is too small
  constexpr double roomy = 0.75;    // from here on things can be put back
  const Minute& now = sight.now;
  const Constants& c = sight.constants;

  // A new build, and errors that burn.
  const bool bad_build = now.bad_share > 0 && now.burn_5min >= c.alert_burn;
  // The load if nothing were shed, in busy workers (Little), against the workers that serve.
  const double load = now.requests_per_s * now.service_ms / 1000;
  const double workers = now.instances_serving * c.workers_per_instance;
  const bool small_fleet = load > crowded * workers;
  // A cold cache: hits far below what its TTL gives.
  const double served = now.requests_per_s * (1 - now.shed_share);
  const double usual = capacity::ttl_hit_ratio(served / c.hot_objects, sight.controls.ttl);
  if (now.hit_rate < 0.8 * usual) cold_ = true;
  if (now.hit_rate > 0.9 * usual) cold_ = false;

  const bool trouble = bad_build || small_fleet || cold_;
  calm_ = !trouble && load < roomy * workers ? calm_ + 1 : 0;
  if (!reaction_.at_work(trouble, sight.next())) return {};
  Moves moves(sight);

  // Roll back first, understand later; once is enough.
  if (bad_build && !now.rolling_back) moves.rollback();

  // The fleet that the load needs; until it is there, shed what it cannot carry, in steps of 5 % of
  // the low-priority traffic, and give up the heavy feature only where that is not enough.
  if (small_fleet) {
    const double needed = std::ceil(load / (c.workers_per_instance * sight.controls.target));
    moves.floor(std::clamp<double>(needed, sight.controls.floor, c.max_instances));
  }
  const double excess = 1 - full * workers / load;
  if (excess > 0 && c.low_priority > 0) {
    moves.shed(std::min(1.0, std::ceil(20 * excess / c.low_priority) / 20));
  } else if (!small_fleet) {
    moves.shed(0);
  }
  const bool hopeless = load * (1 - c.low_priority) > workers;

  // Spare the database while the cache is cold; the job only where the database has room for it.
  const double job = c.warm_up_queries / c.database_limit;
  if (cold_ && now.database_utilization + job <= 0.9) moves.warm_up();
  if (cold_ || hopeless) {
    moves.recommendations(false);
  } else if (load < roomy * workers) {
    moves.recommendations(true);
  }

  if (calm_ >= calm_minutes) {
    moves.floor(c.floor);
    reaction_.rest();
  }
  return moves.take();
}

std::vector<Action> PanicOperator::decide(const Sight& sight) {
  constexpr int presses_at_most = 5;
  constexpr int patience = 3;  // minutes between two presses of the rollback
  const Minute& now = sight.now;
  const Constants& c = sight.constants;
  const bool errors = now.error_rate > 1 - c.slo;
  const bool trouble = errors || now.alert || now.p99_ms >= 500 * c.timeout;
  calm_ = trouble ? 0 : calm_ + 1;
  if (!reaction_.at_work(trouble, sight.next())) return {};
  Moves moves(sight);
  if (calm_ >= calm_minutes) {
    // The machines stay: who knows.
    moves.shed(0);
    moves.ttl(sight.day.ttl);
    presses_ = 0;
    reaction_.rest();
    return moves.take();
  }
  moves.floor(c.max_instances);
  moves.tracking(false);
  moves.shed(1);
  moves.ttl(10);  // "it must be serving something stale"
  if (errors && presses_ < presses_at_most &&
      (presses_ == 0 || sight.next() - last_press_ >= patience)) {
    moves.rollback();
    ++presses_;
    last_press_ = sight.next();
  }
  if (now.hit_rate < 0.7) moves.warm_up();
  return moves.take();
}

Operator operator_of(std::size_t index) {
  switch (index) {
    case 1:
      return TextbookOperator{};
    case 2:
      return PanicOperator{};
    default:
      return NoOperator{};
  }
}

}  // namespace retrystorm::oncall
