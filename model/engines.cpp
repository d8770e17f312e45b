#include "model/engines.hpp"

#include "core/error.hpp"
#include "model/fluid/fluid.hpp"
#include "model/honours.hpp"
#include "model/markov/markov.hpp"
#include "model/markov/mean_field.hpp"
#include "model/settled/stationary.hpp"
#include "model/settling/simulate_settled.hpp"
#include "model/settling/without_chance.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace retrystorm {
namespace {

Tally run_simulate(const Scenario& s, const PredictOptions& options, Meter* meter) {
  auto left_out = honour(Engine::simulate, s, options.approximate);
  Tally t = options.seeds > 1 ? simulate_settled_band(s, options.seeds, {{}, {}, meter})
                              : simulate_settled(s, {{}, {}, meter});
  t.approximations = std::move(left_out);
  return t;
}

constexpr std::array table = {
    Predictor{Engine::simulate, "event simulation by the very machines of the live programs",
              run_simulate,
              [](const Scenario& s, const PredictOptions& o) { return settled_cost(s, o.seeds); }},
    Predictor{Engine::fluid, "deterministic transient: even arrivals, fixed work",
              [](const Scenario& s, const PredictOptions& o, Meter* meter) {
                return settle_without_chance(fluid, fluid_cost, s, o.approximate, meter);
              },
              [](const Scenario& s, const PredictOptions&) {
                return cost_without_chance(fluid_cost, s);
              }},
    Predictor{Engine::stationary, "the settled state, and with retries all of them",
              [](const Scenario& s, const PredictOptions& o, Meter* meter) {
                return stationary(s, o.approximate, meter);
              },
              [](const Scenario& s, const PredictOptions&) { return stationary_cost(s); }},
    Predictor{Engine::markov, "expected run: Poisson arrivals, exponential work",
              [](const Scenario& s, const PredictOptions& o, Meter* meter) {
                return settle_without_chance(markov, mean_field_cost, s, o.approximate, meter);
              },
              [](const Scenario& s, const PredictOptions&) {
                return cost_without_chance(mean_field_cost, s);
              }},
};

const Predictor& predictor_of(Engine engine) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Predictor& p) { return p.engine == engine; });
  if (found == table.end()) throw std::domain_error("predict: the testbed predicts nothing");
  return *found;
}

}  // namespace

std::span<const Predictor> predictors() {
  return table;
}

std::optional<Engine> predictor_named(std::string_view name) {
  for (const Predictor& p : table) {
    if (engine_names[static_cast<std::size_t>(p.engine)] == name) return p.engine;
  }
  return std::nullopt;
}

Cost cost_of(Engine engine, const Scenario& scenario, const PredictOptions& options) {
  return predictor_of(engine).cost(scenario, options);
}

Tally predict(Engine engine, const Scenario& scenario, const PredictOptions& options) {
  const Predictor& predictor = predictor_of(engine);
  honour(engine, scenario, options.approximate);  // what is not modelled has no cost
  const std::string who = fmt::format("engine {}", engine_names[static_cast<std::size_t>(engine)]);
  require_affordable(who, predictor.cost(scenario, options), options.effort);
  Meter meter(who, options.effort);
  try {
    return predictor.run(scenario, options, &meter);
  } catch (const std::domain_error& error) {  // of a formula: past what it can take
    throw InvalidInput(who, "", error.what());
  }
}

Predict predict_with(Engine engine, const PredictOptions& options) {
  return [engine, options](const Scenario& scenario) { return predict(engine, scenario, options); };
}

}  // namespace retrystorm
