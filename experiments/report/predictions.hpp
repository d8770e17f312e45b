// What the model says about each arm of a report, beside what was measured: nominal (the scenario
// as written, by every engine that models it), calibrated (with the world of the measured try), and
// replay (its very sends and work times, so that only what the model leaves out is left as an
// error).
#pragma once

#include "experiments/report/report.hpp"
#include "model/effort.hpp"

namespace retrystorm {

// Fills ArmReport::predicted of each arm; calibrated and replay where a measured try is in the
// database. What an engine refuses, what costs more than `effort` lets it, and what an interrupt
// ends is not made, and said in Predicted::refused; nothing of that is thrown.
void add_predictions(Report& report, Database& database, const Effort& effort = {});

}  // namespace retrystorm
