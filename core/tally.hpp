// The answer to a Scenario, whichever engine gave it. What an engine does not answer is empty (null
// in JSON), never 0. What each figure is called and is stands in core/figures.hpp.
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

// The rates in one stage of the offered load, each event in the stage of its own instant.
struct StageRates {
  std::string stage;            // as in client.stages: "burst=800/s:3s"
  double from_s = 0, to_s = 0;  // of the stage, from the start of the run
  Rates whole;                  // in all of it
  Rates later;                  // from a third into it on: not judged to have settled
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
  std::map<std::string, Spread> spread;  // by path: "counts.attempts"
  std::vector<FixedPoint> fixed_points;  // stationary only
  Count refused_share;                   // of attempts, stationary only
  std::vector<std::string>
      approximations;              // what an engine left out when asked to answer all the same
  std::vector<StageRates> stages;  // of a load in stages, in their order
  std::vector<Tally> classes;  // of clients, if there are several: each class's part of all this
};

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
// one of them does not answer. So too of each stage, and of each class, with its spread.
Tally mean_of(const std::vector<Tally>& tallies);

// The spread of each count and rate over several tallies of one scenario; of the whole, not of its
// stages and classes.
std::map<std::string, Spread> spread_of(const std::vector<Tally>& tallies);

}  // namespace retrystorm
