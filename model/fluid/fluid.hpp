// The fluid engine: even arrivals and fixed work, followed through the run without events. Where
// nothing is retried it is exact, in closed form over rounds of work (fluid_rounds.hpp); otherwise
// a deterministic flow with delays (fluid_flow.hpp), and Tally::approximations says how far off.
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"
#include "model/effort.hpp"

#include <optional>

namespace retrystorm {

// The instant at which a filling queue passes what its clients will wait for.
struct Passing {
  double late_from_s = 0;       // requests sent from here on, if admitted, are served in vain
  double succeeded_before = 0;  // requests sent before it that succeed
};

struct FluidAnswer {
  Tally tally;
  std::optional<Passing> passing;  // nothing if no admitted request is ever late
};

// Answers for the whole run. Throws InvalidInput for what it does not model (honours.hpp), unless
// `approximate`, and for runs of more than some ten million work times. What it cannot know
// (latencies, where requests are retried or cut off) is empty.
FluidAnswer fluid_answer(const Scenario& scenario, bool approximate = false,
                         Meter* meter = nullptr);

// The tally alone.
Tally fluid(const Scenario& scenario, bool approximate = false, Meter* meter = nullptr);

// What one of these takes.
Cost fluid_cost(const Scenario& scenario);

}  // namespace retrystorm
