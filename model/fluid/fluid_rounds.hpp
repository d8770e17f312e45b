// A run without retries in closed form: D/D/c/N goes in rounds (capacity/ddcn.hpp), and all of a
// round's jobs fare alike, so that counts, windows and latencies are sums over rounds. Exact to the
// last count (but for the nanosecond to which a real schedule is rounded).
#pragma once

#include "model/fluid/fluid.hpp"

namespace retrystorm {

// True if the closed form answers: no retries, and the run drains within its limit.
bool answered_by_rounds(const Scenario& scenario);

// Takes arrivals as even and work as fixed, whatever the scenario says.
FluidAnswer fluid_by_rounds(const Scenario& scenario);

}  // namespace retrystorm
