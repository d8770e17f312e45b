// The morning, minute by minute: the opening state and the step from one minute to the next, both
// pure. The order of things within a minute is documented in docs/oncall.md.
#pragma once

#include "model/oncall/action.hpp"
#include "model/oncall/minute.hpp"
#include "model/oncall/scenario.hpp"
#include "model/oncall/state.hpp"

#include <cstdint>
#include <span>

namespace retrystorm::oncall {

struct Stepped {
  State state;
  Minute minute;
};

// The state at the opening, with the traffic at its mean: nothing but a surge is drawn.
Stepped opening(const Day& day, std::uint32_t seed);

// The next minute. `actions` are the operator's at its beginning, in order; each must fit().
Stepped step(State state, const Day& day, std::span<const Action> actions);

}  // namespace retrystorm::oncall
