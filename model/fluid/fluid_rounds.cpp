#include "model/fluid/fluid_rounds.hpp"

#include "core/error.hpp"
#include "model/capacity/ddcn.hpp"
#include "model/weighted.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {
namespace {

using capacity::DDcN;
using capacity::EvenGroup;
using capacity::tied_ceil;

// Instants are sums of decimal seconds in binary: a nanosecond is where they are equal.
constexpr double ns = 1e-9;

// How many of `count` events, the first at `start` and then one each `interval`, fall in [from,
// to).
double events_in(double start, double count, double interval, double from, double to) {
  const auto before = [&](double t) {
    return std::clamp(tied_ceil((t - start) / interval), 0.0, count);
  };
  return to > from ? before(to) - before(from) : 0;
}

class Rounds {
 public:
  Rounds(const Scenario& s, Meter* meter)
      : meter_(meter),
        q_{1 / s.client.rate, seconds(s.service.work), s.service.workers,
           s.service.workers + queue_places(s)},
        timeout_(seconds(s.client.timeout)),
        round_trip_(seconds(s.network.round_trip)),
        duration_(seconds(s.client.duration)),
        cut_at_(seconds(s.client.duration + s.drain_limit)),
        settle_(seconds(since_start(settled_from(s)))) {
    first_ = s.simulation.first_arrival == FirstArrival::gap ? q_.interval_s : 0;
    offered_ = requests_offered(s);
    admitted_ = q_.admitted(offered_);
  }

  double rounds() const {
    return q_.overloaded() ? admitted_ / static_cast<double>(q_.servers) : 1;
  }

  FluidAnswer answer() {
    require_feasible();
    capacity::visit_rounds(q_, 0, admitted_, false, [&](const EvenGroup& g) { take(g); });
    take_refusals();
    return {tally(), passing_};
  }

 private:
  void require_feasible() const {
    constexpr double most_rounds = 2e7;
    if (meter_ == nullptr && rounds() > most_rounds) {
      throw InvalidInput("engine fluid", "client.duration",
                         fmt::format("{:.3g} rounds of work are more than {:.0g}; use stationary",
                                     rounds(), most_rounds));
    }
  }

  // How many of `count` events, the first at `start`, happen before the clients are cut off.
  double before_cut(double start, double count) const {
    return std::clamp(std::floor((cut_at_ - start + ns) / q_.interval_s) + 1, 0.0, count);
  }

  void take(const EvenGroup& g) {
    spend(meter_, price::round / 2);  // a round is of two groups at most
    const double sent = first_ + g.first_admitted_s;
    const double finished = sent + round_trip_ / 2 + g.sojourn_s;
    const double spread = (g.count - 1) * q_.interval_s;
    const bool in_time = g.sojourn_s + round_trip_ <= timeout_ + ns;
    const double ends_after = in_time ? g.sojourn_s + round_trip_ : timeout_;
    const double ended = before_cut(sent + ends_after, g.count);
    cut_ += g.count - ended;
    sent_in_time_to_be_refused_ += before_cut(sent + refused_after(), g.count);
    settled_completed_ += in_window(finished, g.count);
    last_admitted_ = sent + spread;
    last_ = std::max(last_, finished + spread);
    if (ended > 0) last_ = std::max(last_, sent + ends_after + (ended - 1) * q_.interval_s);
    if (in_time) {
      succeeded_ += ended;
      settled_succeeded_ += in_window(finished + round_trip_ / 2, ended);
      latencies_.push_back({g.sojourn_s + round_trip_, ended});
      return;
    }
    if (!passing_) passing_ = Passing{sent, succeeded_};
    abandoned_ += ended;
    settled_abandoned_ += in_window(finished, ended);
    // The close of its client reaches the service a timeout after the attempt did.
    if (g.sojourn_s > timeout_ + ns) seen_ += ended;
  }

  // From a send to the end of an attempt that is refused.
  double refused_after() const { return std::min(round_trip_, timeout_); }

  void take_refusals() {
    refused_ = offered_ - admitted_;
    if (refused_ <= 0) return;
    const double heard = before_cut(first_ + refused_after(), offered_);
    refused_ended_ = std::max(0.0, heard - sent_in_time_to_be_refused_);
    // If the very last request was admitted, the last refusal is older and ends before it.
    const double last_sent = first_ + (offered_ - 1) * q_.interval_s;
    if (last_sent <= last_admitted_ + ns) return;
    last_ = std::max(last_, last_sent + round_trip_ / 2);
    if (heard > 0) {
      last_ = std::max(last_, first_ + (heard - 1) * q_.interval_s + refused_after());
    }
  }

  double in_window(double start, double count) const {
    return events_in(start, count, q_.interval_s, settle_, duration_);
  }

  Tally tally() const {
    Tally t;
    t.engine = "fluid";
    Counts& c = t.counts;
    // A refusal slower than the timeout is a timeout.
    const bool refusals_in_time = round_trip_ <= timeout_ + ns;
    c.offered = c.attempts = c.arrived = offered_;
    c.succeeded = c.taken = succeeded_;
    c.unfinished_attempts = c.unfinished_requests = cut_ + refused_ - refused_ended_;
    c.gave_up = offered_ - succeeded_ - *c.unfinished_requests;
    c.rejected = refusals_in_time ? refused_ended_ : 0;
    c.timed_out = abandoned_ + (refusals_in_time ? 0 : refused_ended_);
    c.cut = cut_;
    c.completed = admitted_;
    c.refused = refused_;
    c.abandoned = abandoned_;
    c.abandoned_seen = seen_;
    c.seen_later = abandoned_ - seen_;
    c.unsent = c.failed_status = c.connect_error = c.io_error = c.skipped = 0;
    c.late_read = c.undelivered = c.unfinished_arrivals = 0;
    t.whole = make_rates(last_, offered_, succeeded_, admitted_, offered_, abandoned_);
    const double offered = in_window(first_, offered_);
    t.settled = make_rates(duration_ - settle_, offered, settled_succeeded_, settled_completed_,
                           offered, settled_abandoned_);
    t.request = t.attempt = weighted_quantiles(latencies_);
    auto all = latencies_;
    all.push_back({timeout_, *c.timed_out});
    all.push_back({round_trip_, *c.rejected});
    t.all = weighted_quantiles(std::move(all));
    return t;
  }

  Meter* meter_;
  DDcN q_;
  double timeout_, round_trip_, duration_, cut_at_, settle_;
  double first_ = 0;  // when the first request is sent
  double offered_ = 0, admitted_ = 0, refused_ = 0, succeeded_ = 0, abandoned_ = 0, seen_ = 0;
  double cut_ = 0;            // admitted, and in flight when the clients are cut off
  double refused_ended_ = 0;  // refused, and known to the client before that
  // Admitted attempts that are sent early enough to hear of a refusal before that.
  double sent_in_time_to_be_refused_ = 0;
  double settled_completed_ = 0, settled_succeeded_ = 0, settled_abandoned_ = 0;
  double last_ = 0, last_admitted_ = 0;
  std::vector<WeightedLatency> latencies_;
  std::optional<Passing> passing_;
};

}  // namespace

double requests_offered(const Scenario& s) {
  const double schedule = seconds(s.client.duration) * s.client.rate;
  const bool gap = s.simulation.first_arrival == FirstArrival::gap;
  return gap ? -tied_ceil(-schedule) : tied_ceil(schedule);
}

bool answered_by_rounds(const Scenario& s) {
  const ClientSettings& c = s.client;
  if (c.retries == 0) return true;
  if (!c.retry_on.contains(AttemptOutcome::rejected) &&
      !c.retry_on.contains(AttemptOutcome::timed_out)) {
    return true;
  }
  const DDcN q{1 / c.rate, seconds(s.service.work), s.service.workers,
               s.service.workers + queue_places(s)};
  return !q.overloaded() && s.service.work + s.network.round_trip <= c.timeout;
}

FluidAnswer fluid_by_rounds(const Scenario& scenario, Meter* meter) {
  return Rounds(scenario, meter).answer();
}

// Each round leaves two latencies of 16 bytes at most, which stand in three lists that double.
Cost cost_of_rounds(const Scenario& scenario) {
  const double rounds = Rounds(scenario, nullptr).rounds();
  return {price::round * rounds * 1e-9, 160 * rounds};
}

}  // namespace retrystorm
