// Other people's overload experiments, as arrival lists and verdicts: shared by the tests (a few
// cells, few seeds) and by the command that prints the whole tables
// (tests/bench/published_tables.cpp).
#pragma once

#include "core/random.hpp"
#include "model/simulate/simulate.hpp"

#include <vector>

#include <boost/random/exponential_distribution.hpp>

namespace retrystorm::published {

// Poisson arrivals at `per_second` until so long after the start.
struct Phase {
  double per_second;
  Duration until;
};

inline std::vector<Instant> poisson_phases(const std::vector<Phase>& phases, std::uint64_t seed) {
  Random random(seed, Stream::arrivals);
  boost::random::exponential_distribution<double> gap(1.0);
  std::vector<Instant> list;
  double begin = 0;
  for (const Phase& phase : phases) {
    // A Poisson process forgets: each phase starts afresh at its edge.
    const double end = seconds(phase.until);
    for (double t = begin + gap(random) / phase.per_second; t < end;
         t += gap(random) / phase.per_second) {
      list.push_back(instant_at(from_seconds(t)));
    }
    begin = end;
  }
  return list;
}

// True if the run's last `judged` seconds still fail more than half of what is offered.
inline bool stuck(Scenario scenario, const std::vector<Phase>& phases, Duration judged,
                  std::uint64_t seed) {
  scenario.seed = static_cast<std::int64_t>(seed);
  scenario.client.duration = phases.back().until;
  scenario.settle = scenario.client.duration - judged;
  Replay replay;
  replay.first_sends = poisson_phases(phases, seed);
  const Tally tally = simulate(scenario, {&replay, {}});
  return tally.settled.goodput_per_s.value() < 0.5 * tally.settled.offered_per_s.value();
}

// How many of `seeds` runs end stuck.
inline int stuck_runs(const Scenario& scenario, const std::vector<Phase>& phases, Duration judged,
                      int seeds) {
  int count = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    count += stuck(scenario, phases, judged, static_cast<std::uint64_t>(seed));
  }
  return count;
}

// E4, the running example of the HotOS'25 paper on metastability: one worker of 10/s exponential,
// timeout 5 s, 5 retries at once, a refusal seen at once. 5 min at 5/s, 10 min at 15/s, 30 min at
// 5/s; judged over the last 10.
inline int hotos_stuck(std::int64_t bound, int seeds) {
  using namespace std::chrono_literals;
  Scenario s;
  s.service.workers = 1;
  s.service.work = 100ms;
  s.service.work_shape = WorkShape::exponential;
  s.service.queue = bound;
  s.client.timeout = 5s;
  s.client.retries = 5;
  s.network.round_trip = 0ns;
  return stuck_runs(s, {{5, 300s}, {15, 900s}, {5, 2700s}}, 600s, seeds);
}

// E12, the published bench with Poisson arrivals: 2,000/s during t = 10..15. How long its runs were
// is not said; near the margin a collapsed run escapes sooner or later, so a longer one counts
// fewer as stuck.
inline int spike_stuck(std::int64_t retries, double load, WorkShape shape, int seeds) {
  using namespace std::chrono_literals;
  Scenario s;
  s.service.work_shape = shape;
  s.client.retries = retries;
  s.network.round_trip = 0ns;
  return stuck_runs(s, {{load, 10s}, {2000, 15s}, {load, 60s}}, 10s, seeds);
}

// E12's tipping curve: an extra 1,000/s for `length`, 3 retries.
inline int burst_stuck(double load, Duration length, int seeds) {
  using namespace std::chrono_literals;
  Scenario s;
  s.client.retries = 3;
  s.network.round_trip = 0ns;
  return stuck_runs(s, {{load, 10s}, {load + 1000, 10s + length}, {load, 60s}}, 10s, seeds);
}

}  // namespace retrystorm::published
