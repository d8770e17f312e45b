#include "model/simulate/course.hpp"

#include <algorithm>

namespace retrystorm {
namespace {

constexpr std::int64_t most_steps = 75;
constexpr int cliff_points = 36;
constexpr double most_attempts = 4e6;  // simulated for one picture: a second or so

double most_attempts_of(const Scenario& s) {
  return s.client.rate * seconds(s.client.duration) *
         static_cast<double>(1 + std::max<std::int64_t>(0, s.client.retries));
}

}  // namespace

// A simulation with a horizon counts what happened up to there, and the same scenario always goes
// the same way: so the differences between horizons are the run's course.
std::optional<PredictedSeries> predict_series(const Scenario& scenario, Duration length,
                                              Duration bin, const SimulateOptions& options) {
  if (scenario.simulation.horizon || length <= Duration::zero() || bin <= Duration::zero()) {
    return std::nullopt;
  }
  PredictedSeries series;
  series.step = bin * ((length + bin * most_steps - Duration(1)) / (bin * most_steps));
  const std::int64_t steps = (length + series.step - Duration(1)) / series.step;
  if (most_attempts_of(scenario) * static_cast<double>(steps) / 2 > most_attempts) {
    return std::nullopt;
  }
  const double step_s = seconds(series.step);
  Scenario s = scenario;
  Counts before;  // of the start: nothing
  for (std::int64_t i = 1; i <= steps; ++i) {
    s.simulation.horizon = i * series.step;
    const Counts now = simulate(s, options).counts;
    const auto rate = [&](const Count& later, const Count& earlier) {
      return (later.value_or(0) - earlier.value_or(0)) / step_s;
    };
    series.goodput_per_s.push_back(rate(now.succeeded, before.succeeded));
    series.throughput_per_s.push_back(rate(now.completed, before.completed));
    series.attempts_per_s.push_back(rate(now.attempts, before.attempts));
    series.offered_per_s.push_back(rate(now.offered, before.offered));
    series.queue.push_back(std::max(
        0.0, now.unfinished_arrivals.value_or(0) - static_cast<double>(scenario.service.workers)));
    before = now;
  }
  return series;
}

std::vector<CliffPoint> predict_cliff(const Scenario& scenario, double lowest, double highest) {
  std::vector<CliffPoint> points;
  Scenario s = scenario;
  const double from = 0.9 * lowest;
  const double to = 1.1 * highest;
  s.client.rate = to;
  if (most_attempts_of(s) * cliff_points > 2 * most_attempts) return points;
  for (int i = 0; i <= cliff_points; ++i) {
    s.client.rate = from + (to - from) * i / cliff_points;
    const Tally tally = simulate(s);
    points.push_back({s.client.rate, tally.whole.goodput_per_s, tally.settled.goodput_per_s});
  }
  return points;
}

}  // namespace retrystorm
