// How large a scenario an engine can take, and how long one takes to drain: what refusals and the
// engines must agree on.
#pragma once

#include "core/scenario.hpp"

namespace retrystorm {

// True if the settled state of the scenario's arrivals and work is solved within seconds: always
// where both are exponential or both constant, to some thousand workers where one is.
bool settled_is_solvable(const Scenario& scenario);

// Seconds that no admitted attempt stays in the service, but for a chance of 1e-9 or so: a full one
// emptied at its ceiling, and the last jobs in work, if exponential.
double longest_sojourn_s(const Scenario& scenario);

// Seconds after `duration` by which a run has drained but for a chance of 1e-9 or so: every
// attempt's timeout (or its reply, if that cannot take as long) and backoff, and the longest
// sojourn.
double drain_needed_s(const Scenario& scenario);

}  // namespace retrystorm
