// What the campaign can wait for. The one place that says which engine is asked what.
#pragma once

#include "core/engine.hpp"
#include "core/scenario.hpp"

namespace retrystorm::campaign {

// Attempts of a drawn run, at most. A run that does not settle is carried on to 64 times that.
inline constexpr double usual_attempts = 2000;

// Longer than any answer within the budget takes, on a busy machine and under sanitizers. Who takes
// longer hangs.
inline constexpr unsigned patience_s = 100;

// True if the engine answers within about a second. An engine that is not asked is counted.
bool affordable(Engine engine, const Scenario& scenario);

}  // namespace retrystorm::campaign
