#include "model/simulate/simulate_classes.hpp"

#include "model/simulate/class_counts.hpp"
#include "model/simulate/sim_world.hpp"
#include "model/simulate/simulation.hpp"

namespace retrystorm {
namespace {

template <typename World>
Tally run_classes_in(World world, const Scenario& scenario, const SimulateOptions& options,
                     SimulationExtremes& extremes) {
  Simulation<World, ClassCounts, Clients> simulation(
      scenario, arrivals_for(scenario, options.replay), work_for(scenario, options.replay),
      std::move(world), ClassCounts(scenario), options.meter);
  simulation.run();
  extremes = simulation.extremes();
  return simulation.observer().tally();
}

}  // namespace

Tally simulate_classes(const Scenario& scenario, const SimulateOptions& options,
                       SimulationExtremes& extremes) {
  const Duration round_trip = scenario.network.round_trip;
  if (options.noise) {
    const auto seed = static_cast<std::uint64_t>(scenario.seed);
    return run_classes_in(NoisyWorld(round_trip, *options.noise, seed), scenario, options,
                          extremes);
  }
  return run_classes_in(ExactWorld(round_trip), scenario, options, extremes);
}

}  // namespace retrystorm
