#include "model/simulate/course.hpp"

#include "model/settling/simulate_settled.hpp"
#include "model/simulate/sim_world.hpp"
#include "model/simulate/simulation.hpp"

#include <algorithm>

namespace retrystorm {
namespace {

constexpr std::int64_t most_steps = 75;
constexpr int cliff_points = 36;
constexpr double most_attempts = 4e6;  // simulated for one picture: a second or so

// Counts what happens into the step it happens in, each step with its end, and keeps how many wait
// at the end of each.
class CourseObserver : public SimulationObserver {
 public:
  CourseObserver(Duration step, std::int64_t steps)
      : step_(step),
        offered_(static_cast<std::size_t>(steps)),
        attempts_(offered_.size()),
        succeeded_(offered_.size()),
        completed_(offered_.size()),
        queue_(offered_.size()) {}

  void offered(Instant scheduled, std::uint8_t) { count(offered_, scheduled); }
  void attempted(const Outgoing& attempt) { count(attempts_, attempt.sent); }
  void request_ended(const Final& final, Instant now) {
    if (final.outcome == RequestOutcome::succeeded) count(succeeded_, now);
  }
  void arrived(std::uint64_t, Instant now) { wait(now, 1); }
  void refused(std::uint64_t, Reason, Instant now) { wait(now, -1); }
  void started(const Job& job) { wait(job.picked, -1); }
  void completed(const Job& job) { count(completed_, job.due); }

  PredictedSeries series() {
    wait(never, 0);
    PredictedSeries s;
    s.step = step_;
    s.goodput_per_s = per_second(succeeded_);
    s.throughput_per_s = per_second(completed_);
    s.attempts_per_s = per_second(attempts_);
    s.offered_per_s = per_second(offered_);
    s.queue = queue_;
    return s;
  }

 private:
  // The step that `at` falls into, its end included; past the last one for what came later.
  std::size_t step_of(Instant at) const {
    const std::int64_t ns = std::max<std::int64_t>(nanoseconds_of(at), 1);
    return static_cast<std::size_t>((ns - 1) / step_.count());
  }
  void count(std::vector<double>& into, Instant at) const {
    if (const std::size_t step = step_of(at); step < into.size()) ++into[step];
  }
  // The steps that ended before `now` keep the number that waited then.
  void wait(Instant now, int change) {
    const std::size_t step = std::min(step_of(now), queue_.size());
    for (; ended_ < step; ++ended_) queue_[ended_] = waiting_;
    waiting_ += change;
  }
  std::vector<double> per_second(std::vector<double> counts) const {
    for (double& count : counts) count /= seconds(step_);
    return counts;
  }

  Duration step_;
  std::vector<double> offered_, attempts_, succeeded_, completed_, queue_;
  double waiting_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace

std::optional<PredictedSeries> predict_series(const Scenario& scenario, Duration length,
                                              Duration bin, const SimulateOptions& options) {
  if (!scenario.classes.empty()) return std::nullopt;
  if (scenario.simulation.horizon || length <= Duration::zero() || bin <= Duration::zero()) {
    return std::nullopt;
  }
  if (attempts_at_most(scenario) > most_attempts) return std::nullopt;
  const Duration step = bin * ((length + bin * most_steps - Duration(1)) / (bin * most_steps));
  const std::int64_t steps = (length + step - Duration(1)) / step;
  const auto run_in = [&](auto world) {
    Simulation simulation(scenario, arrivals_for(scenario, options.replay),
                          work_for(scenario, options.replay), std::move(world),
                          CourseObserver(step, steps), options.meter);
    simulation.run();
    return simulation.observer().series();
  };
  const Duration round_trip = scenario.network.round_trip;
  if (options.noise) {
    return run_in(
        NoisyWorld(round_trip, *options.noise, static_cast<std::uint64_t>(scenario.seed)));
  }
  return run_in(ExactWorld(round_trip));
}

std::vector<CliffPoint> predict_cliff(const Scenario& scenario, double lowest, double highest) {
  std::vector<CliffPoint> points;
  if (!has_one_rate(scenario.client)) return points;
  Scenario s = scenario;
  const double from = 0.9 * lowest;
  const double to = 1.1 * highest;
  s.client.rate = to;
  if (attempts_at_most(s) * cliff_points > 2 * most_attempts) return points;
  for (int i = 0; i <= cliff_points; ++i) {
    s.client.rate = from + (to - from) * i / cliff_points;
    const Tally tally = simulate_settled(s, {}, most_attempts / cliff_points);
    points.push_back({s.client.rate, tally.whole.goodput_per_s, tally.settled.goodput_per_s,
                      tally.whole.offered_per_s, tally.settled.offered_per_s});
  }
  return points;
}

}  // namespace retrystorm
