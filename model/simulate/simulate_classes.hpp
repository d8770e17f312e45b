// The simulation of several classes of clients. In a file of its own, so that what the compiler
// inlines into the loop for one class does not depend on it.
#pragma once

#include "model/simulate/simulate.hpp"

namespace retrystorm {

// As simulate(), for a scenario that lists classes.
Tally simulate_classes(const Scenario& scenario, const SimulateOptions& options,
                       SimulationExtremes& extremes);

}  // namespace retrystorm
