// The settled state beside the good one: where retries keep a service busy with attempts that fail,
// at a load that it would carry without them. A run from empty does not show it; a burst that has
// passed can leave a service there.
#pragma once

#include "core/scenario.hpp"
#include "model/effort.hpp"

#include <optional>

#include <boost/json/fwd.hpp>

namespace retrystorm {

struct SecondState {
  double attempts_per_s = 0;
  double goodput_per_s = 0;
  double from_per_s = 0;  // the offered load below which nothing sustains such a state
};

// By the fixed points of the scenario's law (fixed_points.hpp): the stable state of the most
// attempts, if its goodput is below that of the first by more than a hundredth of the load. Nothing
// if there is none. Requires: the stationary engine models the scenario, or what it takes instead
// will do.
std::optional<SecondState> second_state(const Scenario& scenario, Meter* meter = nullptr);

Cost second_state_cost(const Scenario& scenario);

boost::json::value to_json(const SecondState& state);

}  // namespace retrystorm
