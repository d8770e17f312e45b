#include "model/simulate/simulate.hpp"

#include "core/classes.hpp"
#include "model/simulate/next_seed.hpp"
#include "model/simulate/sim_counts.hpp"
#include "model/simulate/sim_world.hpp"
#include "model/simulate/simulate_classes.hpp"
#include "model/simulate/simulation.hpp"

#include <algorithm>

namespace retrystorm {
namespace {

template <typename World>
Tally run_in(World world, const Scenario& scenario, const SimulateOptions& options,
             SimulationExtremes& extremes) {
  Simulation simulation(scenario, arrivals_for(scenario, options.replay),
                        work_for(scenario, options.replay), std::move(world), SimCounts(scenario),
                        options.meter);
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
    return run_in(NoisyWorld(round_trip, *options.noise, seed), scenario, options, extremes);
  }
  return run_in(ExactWorld(round_trip), scenario, options, extremes);
}

Tally simulate(const Scenario& scenario, const SimulateOptions& options) {
  SimulationExtremes ignored;
  return simulate(scenario, options, ignored);
}

Tally simulate_band(const Scenario& scenario, int seeds, const SimulateOptions& options) {
  std::vector<Tally> tallies;
  Scenario s = scenario;
  for (int i = 0; i < seeds; ++i, s.seed = next_seed(s.seed))
    tallies.push_back(simulate(s, options));
  Tally mean = mean_of(tallies);
  mean.spread = spread_of(tallies);
  return mean;
}

namespace {

// Per second. Users who find every place taken are refused, and ask again at once.
double first_tries(const Scenario& s) {
  if (!s.client.users) return s.client.rate;
  const double refused = static_cast<double>(*s.client.users - s.service.workers - queue_places(s));
  const Duration cycle = s.client.think + s.network.round_trip;
  return closed_loop_rate(s) + std::max(0.0, refused) / std::max(1e-6, seconds(cycle));
}

}  // namespace

double attempts_at_most(const Scenario& scenario) {
  double most = 0;
  const double sent_for = std::min(seconds(scenario.client.duration),
                                   seconds(scenario.simulation.horizon.value_or(Duration::max())));
  for (std::size_t of = 0; of < class_count(scenario); ++of) {
    const Scenario one = scenario_of_class(scenario, of);
    most = std::max(most, static_cast<double>(one.client.retries + 1));
  }
  return most * first_tries(scenario) * sent_for;
}

// Requests that are open at once have a slot, a timeout, perhaps a retry, and a place in queues
// that double; each lives for its attempts' timeouts at most, and no longer than the run.
Cost simulate_cost(const Scenario& scenario, double attempts) {
  constexpr double bytes_each = 250;
  double life = 0;
  for (std::size_t of = 0; of < class_count(scenario); ++of) {
    const Scenario one = scenario_of_class(scenario, of);
    const double each =
        seconds(one.client.timeout) + seconds(one.client.backoff) + seconds(one.network.round_trip);
    life = std::max(life, static_cast<double>(one.client.retries + 1) * each);
  }
  const auto room = static_cast<double>(scenario.service.workers + queue_places(scenario));
  const double open = std::min(attempts, scenario.client.rate * life) + std::min(attempts, room);
  return {price::attempt * attempts * 1e-9, bytes_each * open};
}

}  // namespace retrystorm
