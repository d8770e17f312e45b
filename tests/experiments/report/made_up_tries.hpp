// Tries made by hand, and reports of them: small enough that every figure can be read off.
#pragma once

#include "experiments/report/report.hpp"

#include <string>
#include <utility>
#include <vector>

namespace retrystorm {

inline Experiment two_rates() {
  return experiment_from_toml(
      "[experiment]\nname = \"e\"\nquestion = \"Why?\"\n[matrix]\n\"client.rate\" = [1000, 1200]\n",
      "e.toml");
}

// A try in which everything was answered, but for what `spoil` does to it.
inline Try tried(const std::string& arm, std::int64_t repeat, double goodput) {
  Try t;
  t.key = {arm, repeat};
  t.repeat = repeat;
  t.trusted = true;
  t.tally.engine = "testbed";
  t.tally.counts.offered = t.tally.counts.attempts = t.tally.counts.completed = 1000;
  t.tally.counts.succeeded = 1000;
  t.tally.counts.rejected = t.tally.counts.timed_out = t.tally.counts.abandoned = 0;
  t.tally.whole.seconds = 2;
  t.tally.whole.goodput_per_s = goodput;
  t.tally.settled.seconds = 1;
  t.tally.settled.goodput_per_s = goodput;
  t.tally.settling.from_s = 1;
  t.tally.settling.to_s = 2;
  t.opening = {1, 500, 990, 0};
  return t;
}

inline Report report_of(const Experiment& e, std::vector<Try> tries) {
  return make_report(e, arms_of(e, "e"), std::move(tries));
}

inline void distrust(Try& t, const std::string& reason, TryStatus status = TryStatus::done) {
  t.trusted = false;
  t.status = status;
  t.reasons.push_back(reason);
}

inline Report full_report() {
  Try t = tried("rate=1200", 0, 100);
  t.tally.counts.succeeded = 520;
  t.tally.counts.rejected = 1234;
  t.tally.settled.goodput_per_s = 0;
  t.tally.settled.throughput_per_s = 1000;
  t.tally.settled.abandoned_share = 1;
  t.tally.whole.abandoned_share = 0.925;
  t.tally.request.p50 = 58.01;
  t.opening = {1, 480, 510, 40};
  t.trust.send_lag_p99_ms = 0.12;
  t.reconciliation["abandoned"] = 7;
  t.warnings = {"generator: connect() was slow"};
  t.environment = {{"kernel", "Linux 9"}, {"cores", 2}, {"clock_source", "tsc"}};
  Try failed = tried("rate=1000", 0, 5);
  failed.tally.whole.seconds = 1;
  failed.tally.settled = {};
  distrust(failed, "failed: the service was killed", TryStatus::failed);
  Report r = report_of(two_rates(), {failed, t});
  r.arms[1].predicted.nominal["simulate"] = t.tally;
  r.arms[1].predicted.replay = t.tally;
  return r;
}

}  // namespace retrystorm
