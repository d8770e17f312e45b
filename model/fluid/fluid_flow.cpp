#include "model/fluid/fluid_flow.hpp"

#include "core/error.hpp"
#include "model/fluid/fluid_rounds.hpp"
#include "model/returning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// What is added up, for the whole run and for the settled window.
enum Sum : std::size_t {
  offered,
  attempts,
  succeeded,
  gave_up,
  rejected,
  timed_out,
  refused,
  completed,
  abandoned,
  seen,
  cut,
  settled_offered,
  settled_attempts,
  settled_succeeded,
  settled_completed,
  settled_abandoned,
  sums
};

constexpr double nothing = 1e-12;  // of a request

// The timeout, or a time that no attempt needs: what a long one has no other effect than, and the
// memory of the flow is as long as this.
double timeout_in_effect_s(const Scenario& s) {
  const auto room = static_cast<double>(s.service.workers + queue_places(s));
  const double rounds = std::ceil(room / static_cast<double>(s.service.workers)) + 2;
  return std::min(seconds(s.client.timeout),
                  seconds(s.network.round_trip) + rounds * seconds(s.service.work));
}

// Admitted in one step of the grid, and not yet completed.
struct Parcel {
  std::int64_t cell = 0;
  double left = 0;            // mass still in the system
  bool timed_out = false;     // its clients have left
  bool cut = false;           // its clients were cut off
  std::vector<double> share;  // by attempt number; sums to 1
};

// The steps of a scenario: of equal length, a whole number of them to the work time.
struct Grid {
  explicit Grid(const Scenario& s) {
    const double work = seconds(s.service.work);
    const double timeout = timeout_in_effect_s(s);
    const double fine = std::min(work / 64, timeout / 128);
    work_cells = std::ceil(work / fine);
    h = work / work_cells;
    longest_return = (timeout + seconds(s.network.round_trip) + seconds(s.client.backoff)) / h;
    const auto room = static_cast<double>(s.service.workers + queue_places(s));
    full = room / static_cast<double>(s.service.workers) * work_cells;
  }
  double work_cells = 0;
  double h = 0;               // seconds
  double longest_return = 0;  // cells until a failed attempt is sent again
  double full = 0;            // cells that a full service takes to empty
};

class Flow {
 public:
  Flow(const Scenario& s, Meter* meter);
  FluidAnswer answer();

 private:
  void step();
  void complete();
  void time_out();
  void arrive();
  void refuse(std::size_t k, double mass);
  void cut_clients();
  bool over() const;
  bool skip_ahead();
  double at(std::int64_t cell) const { return static_cast<double>(cell + skipped_) * h_; }
  // The share of a step from `time` on that lies in the settled window.
  double in_window(double time) const {
    return std::clamp((std::min(time + h_, duration_) - std::max(time, settle_)) / h_, 0.0, 1.0);
  }
  void add(Sum whole, Sum settled, double mass, double time) {
    sum_[whole] += mass;
    sum_[settled] += mass * in_window(time);
  }
  void happened(double mass, double time) {
    if (mass > nothing) last_ = std::max(last_, time);
  }
  Tally tally() const;

  // The scenario, in seconds and cells.
  Meter* meter_;
  double rate_, timeout_, round_trip_, backoff_, duration_, settle_, first_;
  double offered_until_;  // each request stands for the interval it begins, the last one too
  double cut_at_;
  double workers_, room_;
  std::size_t classes_;  // attempts a request may make
  bool retry_rejected_, retry_timed_out_, at_once_;
  double h_;
  std::int64_t work_cells_, patience_cells_;
  bool hopeless_;  // the round trip alone takes longer than the timeout

  // The state.
  std::int64_t cell_ = 0, skipped_ = 0;
  double busy_ = 0, waiting_ = 0;
  std::vector<double> started_;  // ring over work_cells_
  Returning returning_;
  std::deque<Parcel> parcels_;
  std::size_t next_to_time_out_ = 0;  // index into parcels_
  bool clients_cut_ = false;
  double unfinished_attempts_ = 0, unfinished_requests_ = 0;

  // The answer.
  std::array<double, sums> sum_{};
  double last_ = 0;
  std::optional<Passing> passing_;

  // Whether round after round has been the same.
  std::array<double, sums> round_start_{}, last_round_{};
  double level_start_ = 0;
  int same_rounds_ = 0;
};

Flow::Flow(const Scenario& s, Meter* meter)
    : meter_(meter),
      rate_(s.client.rate),
      timeout_(timeout_in_effect_s(s)),
      round_trip_(seconds(s.network.round_trip)),
      backoff_(seconds(s.client.backoff)),
      duration_(seconds(s.client.duration)),
      settle_(seconds(since_start(settled_from(s)))),
      first_(s.simulation.first_arrival == FirstArrival::gap ? 1 / s.client.rate : 0),
      offered_until_(first_ + requests_offered(s) / s.client.rate),
      cut_at_(std::max(offered_until_, seconds(s.client.duration + s.drain_limit))),
      workers_(static_cast<double>(s.service.workers)),
      room_(static_cast<double>(s.service.workers + queue_places(s))),
      classes_(static_cast<std::size_t>(s.client.retries) + 1),
      retry_rejected_(s.client.retry_on.contains(AttemptOutcome::rejected)),
      retry_timed_out_(s.client.retry_on.contains(AttemptOutcome::timed_out)),
      at_once_(round_trip_ + backoff_ < seconds(s.service.work) / workers_ / 10),
      returning_(0, 0) {
  const Grid grid(s);
  work_cells_ = static_cast<std::int64_t>(grid.work_cells);
  h_ = grid.h;
  hopeless_ = round_trip_ > timeout_;
  patience_cells_ =
      hopeless_ ? 0 : static_cast<std::int64_t>(std::floor((timeout_ - round_trip_) / h_ + 1e-6));
  const double state = (grid.longest_return + grid.full) * static_cast<double>(classes_);
  if (meter_ == nullptr && state > 2e7) {
    throw InvalidInput("engine fluid", "client.timeout",
                       "timeout, backoff and queue reach over too many work times to follow; use "
                       "stationary or simulate");
  }
  started_.assign(static_cast<std::size_t>(work_cells_), 0.0);
  returning_ = Returning(grid.longest_return, classes_);
}

void Flow::complete() {
  double done = std::exchange(started_[static_cast<std::size_t>(cell_ % work_cells_)], 0.0);
  busy_ -= done;
  const double finished = at(cell_) + round_trip_ / 2;
  happened(done, finished + h_);
  while (done > nothing && !parcels_.empty()) {
    Parcel& p = parcels_.front();
    const double mass = std::min(done, p.left);
    done -= mass;
    p.left -= mass;
    sum_[completed] += mass;
    sum_[settled_completed] += mass * in_window(finished);
    const std::int64_t age = cell_ - p.cell;
    if (p.cut && !p.timed_out) {
      sum_[cut] += mass;
    } else if (p.timed_out || hopeless_ || age > patience_cells_) {
      add(abandoned, settled_abandoned, mass, finished);
      if (static_cast<double>(age) * h_ > timeout_ + 1e-9) sum_[seen] += mass;
    } else {
      add(succeeded, settled_succeeded, mass, finished + round_trip_ / 2);
      happened(mass, finished + round_trip_ / 2 + h_);
    }
    if (p.left > nothing) continue;
    parcels_.pop_front();
    if (next_to_time_out_ > 0) --next_to_time_out_;
  }
}

// What was admitted a timeout ago and is still in the system leaves its clients, who try again.
void Flow::time_out() {
  while (next_to_time_out_ < parcels_.size() &&
         parcels_[next_to_time_out_].cell + patience_cells_ <= cell_) {
    Parcel& p = parcels_[next_to_time_out_++];
    if (p.cut || p.left <= nothing) continue;
    p.timed_out = true;
    const double sent = at(p.cell);
    if (!passing_) passing_ = Passing{sent, sum_[succeeded]};
    sum_[timed_out] += p.left;
    happened(p.left, sent + timeout_ + h_);
    for (std::size_t k = 0; k < classes_; ++k) {
      const double mass = p.left * p.share[k];
      if (retry_timed_out_ && k + 1 < classes_) {
        const double since = static_cast<double>(cell_ - p.cell);
        returning_.add(cell_, std::max(0.0, (timeout_ + backoff_) / h_ - since), k + 1, mass);
      } else {
        sum_[gave_up] += mass;
      }
    }
  }
}

// Attempt `k` finds no place.
void Flow::refuse(std::size_t k, double mass) {
  const double now = at(cell_);
  const bool again = retry_rejected_ && !hopeless_ && k + 1 < classes_;
  if (hopeless_) {  // the refusal comes after the timeout, and the timeout is what is retried
    sum_[refused] += mass;
    sum_[timed_out] += mass;
    happened(mass, now + timeout_ + h_);
    if (retry_timed_out_ && k + 1 < classes_) {
      returning_.add(cell_, std::max(1.0, (timeout_ + backoff_) / h_), k + 1, mass);
    } else {
      sum_[gave_up] += mass;
    }
    return;
  }
  const double tries = again && at_once_ ? static_cast<double>(classes_ - k) : 1;
  add(attempts, settled_attempts, mass * (tries - 1), now);
  sum_[refused] += mass * tries;
  sum_[rejected] += mass * tries;
  happened(mass, now + h_ + tries * round_trip_);
  if (again && !at_once_) {
    // At least one step later: what comes back within a step would be refused within it.
    returning_.add(cell_, std::max(1.0, (round_trip_ + backoff_) / h_), k + 1, mass);
  } else {
    sum_[gave_up] += mass;
  }
}

void Flow::arrive() {
  std::vector<double> coming = returning_.take(cell_);
  const double now = at(cell_);
  const double begins = std::max(now, first_);
  const double ends = std::min(now + h_, offered_until_);
  coming[0] = std::max(0.0, ends - begins) * rate_;
  add(offered, settled_offered, coming[0], now);
  double total = 0;
  for (const double mass : coming) total += mass;
  if (total > 0) {
    add(attempts, settled_attempts, total, now);
    const double admitted = std::clamp(room_ - busy_ - waiting_, 0.0, total);
    if (admitted > nothing) {
      Parcel p{cell_, admitted, false, false, coming};
      for (double& share : p.share) share /= total;
      parcels_.push_back(std::move(p));
      waiting_ += admitted;
    }
    const double turned_away = total - admitted > nothing ? 1 - admitted / total : 0;
    if (turned_away > 0) {
      for (std::size_t k = 0; k < classes_; ++k) {
        if (coming[k] > 0) refuse(k, coming[k] * turned_away);
      }
    }
  }
}

void Flow::cut_clients() {
  clients_cut_ = true;
  for (Parcel& p : parcels_) {
    if (p.timed_out) continue;
    p.cut = true;
    unfinished_attempts_ += p.left;
    unfinished_requests_ += p.left;
  }
  unfinished_requests_ += std::max(0.0, returning_.mass());
  returning_.clear();
}

void Flow::step() {
  spend(meter_, price::flow_cell + price::flow_attempt * static_cast<double>(classes_));
  complete();
  if (!clients_cut_) {
    time_out();
    if (at(cell_) >= cut_at_) cut_clients();
  }
  if (!clients_cut_) arrive();
  const double starting = std::min(waiting_, workers_ - busy_);
  started_[static_cast<std::size_t>(cell_ % work_cells_)] += starting;
  busy_ += starting;
  waiting_ -= starting;
  ++cell_;
}

bool Flow::over() const {
  return at(cell_) >= offered_until_ && busy_ + waiting_ < 1e-9 && returning_.mass() < 1e-9;
}

// Once rounds of one work time repeat themselves, whole rounds are added up instead of followed.
bool Flow::skip_ahead() {
  if (cell_ % work_cells_ != 0 || clients_cut_) return false;
  std::array<double, sums> round{};
  const double level = busy_ + waiting_ + returning_.mass();
  bool same = std::abs(level - level_start_) <= 1e-9 * (1 + level);
  for (std::size_t i = 0; i < sums; ++i) {
    round[i] = sum_[i] - round_start_[i];
    same = same && std::abs(round[i] - last_round_[i]) <= 1e-9 * (1 + std::abs(round[i]));
  }
  const auto memory =
      static_cast<double>(returning_.steps()) / static_cast<double>(work_cells_) + room_ / workers_;
  same_rounds_ = same ? same_rounds_ + 1 : 0;
  const double now = at(cell_);
  const double work = h_ * static_cast<double>(work_cells_);
  if (now - work < settle_ && now >= settle_) same_rounds_ = 0;  // the next round counts elsewhere
  const double until = now < settle_ ? settle_ : duration_;
  const double rounds = std::floor((until - now) / work) - 1;
  const bool skip = same_rounds_ > memory * static_cast<double>(classes_ + 1) + 2 && rounds > 1;
  if (skip) {
    for (std::size_t i = 0; i < sums; ++i) sum_[i] += rounds * round[i];
    skipped_ += static_cast<std::int64_t>(rounds) * work_cells_;
  }
  level_start_ = level;
  round_start_ = sum_;
  last_round_ = round;
  return skip;
}

Tally Flow::tally() const {
  Tally t;
  t.engine = "fluid";
  Counts& c = t.counts;
  c.offered = std::round(sum_[offered]);
  c.attempts = c.arrived = sum_[attempts];
  c.succeeded = c.taken = sum_[succeeded];
  c.unfinished_attempts = unfinished_attempts_;
  c.unfinished_requests = unfinished_requests_;
  c.gave_up = sum_[gave_up];
  c.rejected = sum_[rejected];
  c.timed_out = sum_[timed_out];
  c.refused = sum_[refused];
  c.completed = sum_[completed];
  c.abandoned = sum_[abandoned];
  c.abandoned_seen = sum_[seen];
  c.seen_later = std::max(0.0, sum_[abandoned] - sum_[seen]);
  c.cut = sum_[cut];
  c.unsent = c.failed_status = c.connect_error = c.io_error = c.skipped = 0;
  c.late_read = c.undelivered = c.unfinished_arrivals = 0;
  t.whole = make_rates(last_, *c.offered, *c.succeeded, *c.completed, *c.attempts, c.abandoned);
  t.settled = make_rates(duration_ - settle_, sum_[settled_offered], sum_[settled_succeeded],
                         sum_[settled_completed], sum_[settled_attempts], sum_[settled_abandoned]);
  return t;
}

FluidAnswer Flow::answer() {
  constexpr std::int64_t most_steps = 20'000'000;
  while (!over()) {
    skip_ahead();
    step();
    if (meter_ == nullptr && cell_ > most_steps) {
      throw InvalidInput("engine fluid", "client.duration",
                         "too many work times to follow; use stationary or simulate");
    }
  }
  return {tally(), passing_};
}

}  // namespace

FluidAnswer fluid_by_flow(const Scenario& scenario, Meter* meter) {
  return Flow(scenario, meter).answer();
}

// Followed are, at most, the whole run; or what it takes to fill the service and bring every
// attempt back, and then, before and in the settled part, for as long as the flow must repeat
// itself to be skipped.
Cost cost_of_flow(const Scenario& s) {
  const Grid grid(s);
  const auto attempts = static_cast<double>(s.client.retries + 1);
  const double drained = attempts * grid.longest_return + 2 * grid.full;
  const double whole = seconds(s.client.duration) / grid.h + drained;
  const double memory = grid.longest_return + 3 + grid.full;
  const double repeated = memory * (attempts + 1) + 4 * grid.work_cells;
  const double cells = std::min(whole, 2 * repeated + 2 * drained);
  // The ring of what comes back, and what was admitted: a parcel a cell with its shares.
  const double bytes = 8 * attempts * grid.longest_return + (100 + 8 * attempts) * grid.full;
  return {(price::flow_cell + price::flow_attempt * attempts) * cells * 1e-9, bytes};
}

}  // namespace retrystorm
