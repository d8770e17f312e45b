// The event simulation: drives the very machines of the live programs (core/station.hpp,
// core/client.hpp) on a virtual clock, and counts by the rules of docs/semantics.md ("Simulated
// time").
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"
#include "model/effort.hpp"
#include "model/simulate/sim_world.hpp"

#include <optional>
#include <vector>

namespace retrystorm {

class Arrivals;
class Work;

// What replaces the scenario's own draws: a measured run's, or a schedule that no field describes.
struct Replay {
  std::optional<std::vector<Instant>> first_sends;  // of attempt 0 of each request, not decreasing
  std::optional<std::vector<Duration>> work;        // of the i-th start at the service
};

struct SimulateOptions {
  const Replay* replay = nullptr;
  std::optional<Noise> noise;  // none: exact instants and the tie rule
  Meter* meter = nullptr;      // of the attempts; none: as many as there are
};

// The schedule and the work of a run: the scenario's own draws, or what replaces them.
Arrivals arrivals_for(const Scenario& scenario, const Replay* replay);
Work work_for(const Scenario& scenario, const Replay* replay);

// One run of the scenario. Even arrivals and fixed work: exact counts; otherwise one sample, the
// same for the same seed. Memory does not grow with the length of the run. Several classes of
// clients have a tally each in the whole one. `settled` holds the rates of [settle, duration),
// whether or not it has settled: model/settling/ judges that.
Tally simulate(const Scenario& scenario, const SimulateOptions& options = {});

// The scenario under seeds seed, seed + 1, ... (at least one): the mean of each count, rate and
// quantile, with the spread over the seeds.
Tally simulate_band(const Scenario& scenario, int seeds, const SimulateOptions& options = {});

// What one run of the scenario takes, and how many attempts it makes at most.
Cost simulate_cost(const Scenario& scenario, double attempts);
double attempts_at_most(const Scenario& scenario);

struct SimulationExtremes;

// As simulate(), with the extremes of the number in the system (simulation.hpp).
Tally simulate(const Scenario& scenario, const SimulateOptions& options,
               SimulationExtremes& extremes);

}  // namespace retrystorm
