// What the model says about each arm of a report, beside what was measured: nominal (the scenario
// as written, by every engine that models it), calibrated (with the world of the measured try), and
// replay (its very sends and work times, so that only what the model leaves out is left as an
// error).
#pragma once

#include "experiments/report/report.hpp"

namespace retrystorm {

// Fills ArmReport::predicted of each arm; calibrated and replay where a measured try is in the
// database.
void add_predictions(Report& report, Database& database);

}  // namespace retrystorm
