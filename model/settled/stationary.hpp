// The stationary engine: the settled state, as if the run went on for ever. Rates, shares and
// latencies only; counts and the whole run belong to engines that know a beginning and an end.
//
// With retries there may be several settled states: all are in Tally::fixed_points, and the rates
// are those of the first, the one a run from empty comes to.
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"
#include "model/effort.hpp"
#include "model/settled/fixed_points.hpp"

#include <optional>
#include <vector>

namespace retrystorm {

// Throws InvalidInput for what it does not model (honours.hpp), unless `approximate`. Where the law
// is an approximation (M/D/c/N) or retries are (one stream of the mean rate), Tally::approximations
// says so with the known error.
Tally stationary(const Scenario& scenario, bool approximate = false, Meter* meter = nullptr);

// All settled states of the scenario, by rising attempts (fixed_points.hpp). Without retries one.
std::vector<SettledState> settled_states(const Scenario& scenario, Meter* meter = nullptr);

// The loads between which the scenario has three settled states or more; nothing without retries or
// if its load curve does not fold. Independent of the scenario's own rate.
std::optional<Folds> folds(const Scenario& scenario, Meter* meter = nullptr);

// What stationary() takes, and what folds() takes (settled_states() no more): sizes of the law that
// is solved, and how often it is for the load curve.
Cost stationary_cost(const Scenario& scenario);
Cost folds_cost(const Scenario& scenario);

}  // namespace retrystorm
