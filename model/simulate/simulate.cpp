#include "model/simulate/simulate.hpp"

#include "model/simulate/sim_counts.hpp"
#include "model/simulate/sim_world.hpp"
#include "model/simulate/simulate_classes.hpp"
#include "model/simulate/simulation.hpp"

#include <algorithm>

namespace retrystorm {
namespace {

template <typename World>
Tally run_in(World world, const Scenario& scenario, const Replay* replay,
             SimulationExtremes& extremes) {
  Simulation simulation(scenario, arrivals_for(scenario, replay), work_for(scenario, replay),
                        std::move(world), SimCounts(scenario));
  simulation.run();
  extremes = simulation.extremes();
  return simulation.observer().tally();
}

}  // namespace

Arrivals arrivals_for(const Scenario& scenario, const Replay* replay) {
  return replay && replay->first_sends ? Arrivals(*replay->first_sends) : Arrivals(scenario);
}

Work work_for(const Scenario& scenario, const Replay* replay) {
  return replay && replay->work ? Work(*replay->work, scenario.service.work) : Work(scenario);
}

Tally simulate(const Scenario& scenario, const SimulateOptions& options,
               SimulationExtremes& extremes) {
  if (!scenario.classes.empty()) return simulate_classes(scenario, options, extremes);
  const Duration round_trip = scenario.network.round_trip;
  if (options.noise) {
    const auto seed = static_cast<std::uint64_t>(scenario.seed);
    return run_in(NoisyWorld(round_trip, *options.noise, seed), scenario, options.replay, extremes);
  }
  return run_in(ExactWorld(round_trip), scenario, options.replay, extremes);
}

Tally simulate(const Scenario& scenario, const SimulateOptions& options) {
  SimulationExtremes ignored;
  return simulate(scenario, options, ignored);
}

Tally simulate_band(const Scenario& scenario, int seeds, const SimulateOptions& options) {
  std::vector<Tally> tallies;
  Scenario s = scenario;
  for (int i = 0; i < seeds; ++i, ++s.seed) tallies.push_back(simulate(s, options));
  Tally mean = mean_of(tallies);
  mean.spread = spread_of(tallies);
  return mean;
}

}  // namespace retrystorm
