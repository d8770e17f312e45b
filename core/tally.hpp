// The answer to a Scenario, whichever engine gave it. What an engine does not answer is empty (null
// in JSON), never 0. Every count is visited through one list, so that JSON, errors, spread and
// tables agree.
#pragma once

#include "core/scenario.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

class JsonObject;

// A count or rate; analytic engines may give fractions.
using Count = std::optional<double>;

struct Counts {
  Count offered, succeeded, gave_up, unsent;                                        // requests
  Count attempts, rejected, timed_out, failed_status, connect_error, io_error;      // attempts
  Count arrived, completed, refused, skipped;                                       // arrivals
  Count taken, abandoned, abandoned_seen, seen_later, late_read, undelivered, cut;  // completions
  Count unfinished_attempts, unfinished_requests, unfinished_arrivals;
};

// Rates over a window of `seconds`.
struct Rates {
  Count seconds, offered_per_s, goodput_per_s, throughput_per_s, attempts_per_s;
  Count abandoned_share, amplification;
};

// Where the settled window lies, or why there is none. An engine that has no run, or that was not
// asked to judge it, says nothing of it.
struct Settling {
  Count from_s, to_s;            // of the window, from the start of the run
  std::string reason;            // why there is none: then no rate of it is given either
  Count predicted_to_settle_at;  // with a reason: from when on a longer run would be settled
  std::string note;              // how it was found, where that is not by the run itself
};

// A latency distribution in milliseconds.
struct Quantiles {
  Count mean, p50, p90, p99, p999, max;
};

// Over seeds or repeats; low and high are the 2.5 and 97.5 percentiles.
struct Spread {
  double mean = 0, sd = 0, low = 0, high = 0;
};

// A settled state that an analytic engine found.
struct FixedPoint {
  double attempts_per_s = 0, goodput_per_s = 0;
  bool stable = true;
};

struct Tally {
  std::string engine;  // "testbed", "simulate", ...
  Counts counts;
  Rates whole, settled;
  Settling settling;                     // of `settled`
  Quantiles request, attempt;            // of successes: from the schedule, from the send
  Quantiles all;                         // of final outcomes of requests, from the schedule
  std::map<std::string, Spread> spread;  // by path, as visit_counts() and visit_rates() name it
  std::vector<FixedPoint> fixed_points;  // stationary only
  Count refused_share;                   // of attempts, stationary only
  std::vector<std::string>
      approximations;  // what an engine left out when asked to answer all the same
};

// Calls f(path, count) for each count: "offered", ..., "unfinished.attempts".
template <typename CountsLike, typename F>
void visit_counts(CountsLike& c, F&& f) {
  f("offered", c.offered), f("succeeded", c.succeeded), f("gave_up", c.gave_up);
  f("unsent", c.unsent), f("attempts", c.attempts), f("rejected", c.rejected);
  f("timed_out", c.timed_out), f("failed_status", c.failed_status);
  f("connect_error", c.connect_error), f("io_error", c.io_error), f("arrived", c.arrived);
  f("completed", c.completed), f("refused", c.refused), f("skipped", c.skipped);
  f("taken", c.taken), f("abandoned", c.abandoned), f("abandoned_seen", c.abandoned_seen);
  f("seen_later", c.seen_later), f("late_read", c.late_read);
  f("undelivered", c.undelivered), f("cut", c.cut);
  f("unfinished.attempts", c.unfinished_attempts);
  f("unfinished.requests", c.unfinished_requests);
  f("unfinished.arrivals", c.unfinished_arrivals);
}

// Calls f(name, rate) for each rate.
template <typename RatesLike, typename F>
void visit_rates(RatesLike& r, F&& f) {
  f("seconds", r.seconds), f("offered_per_s", r.offered_per_s);
  f("goodput_per_s", r.goodput_per_s), f("throughput_per_s", r.throughput_per_s);
  f("attempts_per_s", r.attempts_per_s), f("abandoned_share", r.abandoned_share);
  f("amplification", r.amplification);
}

// Calls f(name, milliseconds) for each quantile.
template <typename QuantilesLike, typename F>
void visit_quantiles(QuantilesLike& q, F&& f) {
  f("mean", q.mean), f("p50", q.p50), f("p90", q.p90);
  f("p99", q.p99), f("p999", q.p999), f("max", q.max);
}

// The rates of a window from what happened in it; shares are empty where nothing can be shared.
Rates make_rates(double seconds, double offered, double succeeded, double completed,
                 double attempts, Count abandoned);

// The identities of docs/semantics.md that do not hold, each as "attempts 10 = ... 9"; empty when
// all do. An identity with an unanswered count is not judged.
std::vector<std::string> broken_identities(const Counts& counts);

boost::json::value to_json(const Tally& tally);

// Reads what to_json() wrote; throws InvalidInput naming the member.
Tally tally_from_json(const JsonObject& object);

// The scenario as JSON, by table; the inverse for scenarios in reports.
boost::json::value to_json(const Scenario& scenario);
Scenario scenario_from_json(const JsonObject& object);

// Mean, sd and percentiles of a sample; empty for no values.
std::optional<Spread> spread_of(std::vector<double> values);

// The mean of each count, rate and quantile over tallies of one engine, at least one; empty where
// one of them does not answer.
Tally mean_of(const std::vector<Tally>& tallies);

// The spread of each count and rate over several tallies of one scenario.
std::map<std::string, Spread> spread_of(const std::vector<Tally>& tallies);

}  // namespace retrystorm
