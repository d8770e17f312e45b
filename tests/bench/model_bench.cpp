// What the engines without events cost: CPU milliseconds on one core, the median of several runs.
// Prints figures, never fails. Build target model_bench of the release preset; run it while nothing
// else runs.
#include "model/capacity/mdc.hpp"
#include "model/capacity/mdcn.hpp"
#include "model/fluid/fluid.hpp"
#include "model/fluid/fluid_flow.hpp"
#include "model/markov/markov.hpp"
#include "model/markov/metastable.hpp"
#include "model/markov/transient.hpp"
#include "model/settled/stationary.hpp"

#include <algorithm>
#include <ctime>
#include <functional>
#include <vector>

#include <fmt/format.h>

namespace {
using namespace retrystorm;
using namespace std::chrono_literals;

void measure(const char* name, int runs, const std::function<void()>& work) {
  std::vector<double> spent;
  for (int i = 0; i < runs; ++i) {
    const std::clock_t begin = std::clock();
    work();
    spent.push_back(1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  std::sort(spent.begin(), spent.end());
  fmt::print("{:<66} {:>9.3f} ms  ({:.3f} to {:.3f})\n", name, spent[spent.size() / 2],
             spent.front(), spent.back());
}

}  // namespace

int main() {
  Scenario mm;
  mm.client.arrivals = ArrivalProcess::poisson;
  mm.service.work_shape = WorkShape::exponential;
  measure("transient of M/M/20/120 over 6 s, 1000/s (aim: under 10)", 15, [] {
    QueueInTime q(50, 20, 120, 0);
    q.advance(6, 1000);
  });
  measure("markov, the whole tally of that run", 15, [&] { markov(mm); });

  Scenario retried = mm;
  retried.client.rate = 800;
  retried.client.retries = 3;
  measure("markov with 3 retries, 6 s", 15, [&] { markov(retried); });
  measure("M/M/20/120, 3 retries: all settled states + folds (aim: under 50)", 15, [&] {
    stationary(retried);
    folds(retried);
  });
  Scenario fixed = retried;
  fixed.service.work_shape = WorkShape::fixed;
  measure("M/D/20/120, 3 retries: all settled states + folds (aim: under 50)", 15, [&] {
    stationary(fixed);
    folds(fixed);
  });
  Scenario even = retried;
  even.client.arrivals = ArrivalProcess::even;
  measure("D/M/20/120, 3 retries: all settled states + folds", 5, [&] {
    stationary(even);
    folds(even);
  });

  const OrbitChain chain{880, 50, 20, 120, 100, 0.75, 10};
  measure("mean time to recover, 121 x 331 = 40,051 states (aim: under 1000)", 5, [&] {
    mean_time_to_recover_s(chain, {120, 264}, 330);
  });
  measure("mean times to collapse and to recover of a scenario", 3,
          [&] { metastable_times(retried); });

  Scenario bench;
  bench.client.rate = 1200;
  measure("fluid, the published bench without retries", 15, [&] { fluid(bench); });
  bench.client.retries = 2;
  measure("fluid, the published bench with 2 retries", 15, [&] { fluid(bench); });
  bench.client.duration = 24h;
  measure("fluid, the same for 24 h", 15, [&] { fluid(bench); });

  measure("M/D/20, infinite queue, load 0.95: exact law and tail at 100 ms", 15, [] {
    const capacity::MDc q(950, 0.02, 20);
    q.wait_tail(0.08);
  });
  measure("M/D/20/120 at saturation", 15, [] { capacity::mdcn(1000, 0.02, 20, 120); });
  measure("M/D/1000/2000 at saturation", 3, [] { capacity::mdcn(50'000, 0.02, 1000, 2000); });
}
