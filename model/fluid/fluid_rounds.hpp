// A run in which nothing is retried, in closed form: D/D/c/N goes in rounds (capacity/ddcn.hpp),
// and all of a round's jobs fare alike, so that counts, windows and latencies are sums over rounds,
// those that the drain limit cuts off included. Exact to the last count (but for the nanosecond to
// which a real schedule is rounded).
#pragma once

#include "model/fluid/fluid.hpp"

namespace retrystorm {

// True if the closed form answers: nothing is ever retried, because there are no retries, or not
// after refusals and timeouts, or because nobody fails.
bool answered_by_rounds(const Scenario& scenario);

// How many requests an even schedule of the scenario offers: a whole number.
double requests_offered(const Scenario& scenario);

// Takes arrivals as even and work as fixed, whatever the scenario says.
FluidAnswer fluid_by_rounds(const Scenario& scenario, Meter* meter = nullptr);

Cost cost_of_rounds(const Scenario& scenario);

}  // namespace retrystorm
