// The flags of the limits of trust, the same for `run` and `load`.
#pragma once

#include "core/trust_limits.hpp"
#include "experiments/verbs/command.hpp"

#include <cstdint>

namespace retrystorm {

// Whose limits: all that a run keeps to, or those that a generator alone can tell.
enum class LimitsOf : std::uint8_t { run, generator };

// Adds a flag for each, bound to `limits`, which must outlive parsing.
void add_limit_flags(Command app, TrustLimits& limits, LimitsOf whose);

}  // namespace retrystorm
