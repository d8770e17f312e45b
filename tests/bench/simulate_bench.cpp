// How fast the simulation is: domain events (arrivals + completions) per second of CPU, one core.
// Prints figures, never fails. Build target simulate_bench of the release preset; run it while
// nothing else runs.
#include "core/policy/backoffs.hpp"
#include "core/policy/budgets.hpp"
#include "model/simulate/simulate.hpp"

#include <algorithm>
#include <ctime>
#include <vector>

#include <fmt/format.h>

namespace {
using namespace retrystorm;
using namespace std::chrono_literals;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void measure(const char* name, const Scenario& scenario) {
  std::vector<double> speeds;
  double events = 0;
  for (int i = 0; i < 5; ++i) {
    const double begin = cpu_seconds();
    const Tally tally = simulate(scenario);
    const double spent = cpu_seconds() - begin;
    events = *tally.counts.arrived + *tally.counts.completed;
    speeds.push_back(events / spent / 1e6);
  }
  std::sort(speeds.begin(), speeds.end());
  fmt::print("{:<46} {:>6.1f} M domain events/s  ({:.1f} to {:.1f}; {:.1f} M events a run)\n", name,
             speeds[2], speeds.front(), speeds.back(), events / 1e6);
}

}  // namespace

int main() {
  Scenario md;
  md.client.arrivals = ArrivalProcess::poisson;
  md.client.rate = 900;
  md.client.duration = 5000s;
  md.network.round_trip = 0ns;
  measure("M/D/20, queue 100, 900/s", md);
  Scenario overload = md;
  overload.client.rate = 1200;
  measure("M/D/20, queue 100, 1200/s", overload);
  overload.client.retries = 2;
  overload.network.round_trip = 200us;
  measure("M/D/20, 1200/s, 2 retries, round trip 200us", overload);
  overload.client.backoff = 50ms;
  measure("M/D/20, 1200/s, 2 retries, backoff 50ms", overload);
  overload.client.backoff_shape = ExponentialBackoff{};
  overload.client.jitter = FullJitter{};
  overload.client.budget = Budgets(RetryRatio{0.1, 10, 10s});
  measure("the same, exponential, jittered, a budget of 10 %", overload);
  // The same load by three schedules: what stages and a ramp cost against one rate.
  Scenario even = md;
  even.client.arrivals = ArrivalProcess::even;
  measure("D/D/20, queue 100, 900/s, even", even);
  const auto in_stages = [&](std::vector<Stage> stages) {
    Scenario s = even;
    s.client.stages = std::move(stages);
    return s;
  };
  measure("the same in ten stages",
          in_stages(std::vector<Stage>(10, Stage{"", 900'000, 900'000, 500s})));
  measure("the same as a ramp from 850/s to 950/s", in_stages({{"", 850'000, 950'000, 5000s}}));
  Scenario mm = md;
  mm.service.work_shape = WorkShape::exponential;
  measure("M/M/20, queue 100, 900/s", mm);
  Scenario large;
  large.service.workers = 20'000;
  large.service.queue = 100'000;
  large.client.arrivals = ArrivalProcess::poisson;
  large.client.rate = 1'000'000;
  large.client.duration = 10s;
  measure("M/D/20000, 1000000/s", large);
  return 0;
}
