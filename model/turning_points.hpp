// The loads at which a scenario turns: how much its service can do at all, the load above which its
// goodput collapses, and the one below which it comes back.
#pragma once

#include "core/scenario.hpp"
#include "model/effort.hpp"
#include "model/engines.hpp"

#include <optional>
#include <string>

#include <boost/json/fwd.hpp>

namespace retrystorm {

// Loads in requests per second. A service has collapsed where its settled goodput is below half of
// what is offered, or of the ceiling where more is offered than that.
struct TurningPoints {
  double ceiling_per_s = 0;
  // Nothing where it has not even at twice the ceiling; 0 where it has at any load.
  std::optional<double> collapses_above_per_s;
  // Nothing where it does not collapse, or where it is not known (`unknown` says why).
  std::optional<double> recovers_below_per_s;
  std::string unknown;
};

// By the folds of the scenario, where it has some; else by looking for the load, with the
// stationary law where that models the scenario and with `engine` where it does not. Throws
// InvalidInput where there are several classes of clients, the load is not of one rate, the engine
// refuses, or it costs more than options.effort.
TurningPoints turning_points(const Scenario& scenario, Engine engine,
                             const PredictOptions& options = {});
Cost turning_points_cost(const Scenario& scenario, Engine engine, const PredictOptions& options);

boost::json::value to_json(const TurningPoints& points);

}  // namespace retrystorm
