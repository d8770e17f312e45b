// A run in expectation: Poisson arrivals, exponential work, from an empty service through the end
// of the drain. Without retries exact (a transient Markov chain); with them every retry comes back
// after its own delay, attempt by attempt, as part of one Poisson stream of the expected rate. What
// that leaves out is chance switching between a good and a collapsed state: see metastable.hpp.
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"
#include "model/effort.hpp"

namespace retrystorm {

// Takes arrivals as Poisson and work as exponential, whatever the scenario says. Throws
// InvalidInput for runs that would take minutes (events x room in the system), unless a meter looks
// after that.
Tally mean_field(const Scenario& scenario, Meter* meter = nullptr);

Cost mean_field_cost(const Scenario& scenario);

}  // namespace retrystorm
