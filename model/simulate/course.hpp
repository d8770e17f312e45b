// Predictions that only pictures need: how the simulated run goes on over time, and goodput against
// load between the measured points. Counts and rates of the arms themselves are in the report.
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"
#include "model/simulate/simulate.hpp"

#include <optional>
#include <vector>

namespace retrystorm {

// The simulated run, seen at equal steps: rates between two steps, and what stands at the later.
struct PredictedSeries {
  Duration step{};
  std::vector<double> goodput_per_s, throughput_per_s, attempts_per_s, offered_per_s;
  std::vector<double> queue;  // waiting requests at the end of the step
};

// In steps of one or more bins, so that they fall on the measured ones. Nothing where the scenario
// sets a horizon of its own, has several classes of clients, or is too long to be simulated for a
// picture.
std::optional<PredictedSeries> predict_series(const Scenario& scenario, Duration length,
                                              Duration bin, const SimulateOptions& options = {});

struct CliffPoint {
  double rate = 0;
  Count whole, settled;                  // goodput per second
  Count whole_offered, settled_offered;  // offered per second, as the seed's arrivals came out
};

// Goodput against load, from the rates given out to a little beyond on both sides; empty where that
// would take too long, and for a load in stages or of users, which has no one rate.
std::vector<CliffPoint> predict_cliff(const Scenario& scenario, double lowest, double highest);

}  // namespace retrystorm
