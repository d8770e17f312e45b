// The markov engine: M/M/c/K in time, by its transient law (mean_field.hpp), and, with retries, how
// long the good state and the bad one last (metastable.hpp).
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"
#include "model/effort.hpp"

namespace retrystorm {

// Expected counts and rates over the whole run. Exact without retries. Throws InvalidInput for what
// it does not model (honours.hpp), unless `approximate`, and for runs too large.
Tally markov(const Scenario& scenario, bool approximate = false, Meter* meter = nullptr);

}  // namespace retrystorm
