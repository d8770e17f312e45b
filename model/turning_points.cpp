#include "model/turning_points.hpp"

#include "core/classes.hpp"
#include "core/error.hpp"
#include "model/honours.hpp"
#include "model/settled/stationary.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr double most_of_ceiling = 2;  // the highest load that is looked at

// How finely the load is looked for: halvings of a bracket, and where that begins.
struct Search {
  int halvings;
  double from_of_ceiling;
};
constexpr Search by_law = {15, 0.02};
constexpr Search by_runs = {8, 0.5};  // of an engine whose answers take longer, and vary

bool law_models(const Scenario& s) {
  return unmodelled(Engine::stationary, s).empty();
}

bool collapsed(double goodput, double load, double most) {
  return goodput < 0.5 * std::min(load, most);
}

// The load from which on the service has collapsed, 0 for any, nothing for none.
std::optional<double> found_collapse(const std::function<double(double)>& goodput_at, double most,
                                     const Search& search) {
  const auto falls_at = [&](double load) { return collapsed(goodput_at(load), load, most); };
  double low = search.from_of_ceiling * most;
  double high = most_of_ceiling * most;
  if (!falls_at(high)) return std::nullopt;
  if (falls_at(low)) return 0.0;
  for (int i = 0; i < search.halvings; ++i) {
    const double middle = (low + high) / 2;
    (falls_at(middle) ? high : low) = middle;
  }
  // What happens at the very ceiling is found to within the last halving: it is the ceiling.
  return low <= most && most <= high ? most : low;
}

}  // namespace

Cost turning_points_cost(const Scenario& scenario, Engine engine, const PredictOptions& options) {
  if (law_models(scenario)) {
    return folds_cost(scenario) + (by_law.halvings + 2) * stationary_cost(scenario);
  }
  Scenario highest = scenario;
  highest.client.rate = std::max(scenario.client.rate, most_of_ceiling * ceiling(scenario));
  return (by_runs.halvings + 2) * cost_of(engine, highest, options);
}

TurningPoints turning_points(const Scenario& scenario, Engine engine,
                             const PredictOptions& options) {
  refuse_classes(scenario, "turning points");
  const ClientSettings& client = scenario.client;
  if (!has_one_rate(client)) {
    throw InvalidInput("turning points",
                       client.users      ? "client.users"
                       : client.recorded ? "client.recorded"
                                         : "client.stages",
                       "are loads of one rate: give client.rate instead");
  }
  require_affordable("turning points", turning_points_cost(scenario, engine, options),
                     options.effort);
  Meter meter("turning points", options.effort);
  TurningPoints points;
  points.ceiling_per_s = ceiling(scenario);
  const bool law = law_models(scenario);
  if (law) {
    if (const auto bends = folds(scenario, &meter)) {
      points.collapses_above_per_s = bends->upper.rate;
      points.recovers_below_per_s = bends->lower.rate;
      return points;
    }
  }
  const auto goodput_at = [&](double load) {
    Scenario s = scenario;
    s.client.rate = load;
    if (law) return settled_states(s, &meter).front().goodput_per_s;
    const Tally tally = predict(engine, s, options);
    return tally.settled.goodput_per_s.value_or(tally.whole.goodput_per_s.value_or(0));
  };
  points.collapses_above_per_s =
      found_collapse(goodput_at, points.ceiling_per_s, law ? by_law : by_runs);
  if (!points.collapses_above_per_s) return points;
  if (law || scenario.client.retries == 0) {
    // Nothing keeps a full service full but its load.
    points.recovers_below_per_s = points.collapses_above_per_s;
  } else {
    const Unmodelled strange = unmodelled(Engine::stationary, scenario).front();
    points.unknown =
        fmt::format("the fixed points do not model {} = {}", strange.field, strange.value);
  }
  return points;
}

}  // namespace retrystorm
