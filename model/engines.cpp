#include "model/engines.hpp"

#include "model/fluid/fluid.hpp"
#include "model/honours.hpp"
#include "model/markov/markov.hpp"
#include "model/settled/stationary.hpp"
#include "model/settling/simulate_settled.hpp"
#include "model/settling/without_chance.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace retrystorm {
namespace {

Tally run_simulate(const Scenario& s, const PredictOptions& options) {
  auto left_out = honour(Engine::simulate, s, options.approximate);
  Tally t = options.seeds > 1 ? simulate_settled_band(s, options.seeds) : simulate_settled(s);
  t.approximations = std::move(left_out);
  return t;
}

constexpr std::array table = {
    Predictor{Engine::simulate, "event simulation by the very machines of the live programs",
              run_simulate},
    Predictor{Engine::fluid, "deterministic transient: even arrivals, fixed work",
              [](const Scenario& s, const PredictOptions& o) {
                return settle_without_chance(fluid, s, o.approximate);
              }},
    Predictor{
        Engine::stationary, "the settled state, and with retries all of them",
        [](const Scenario& s, const PredictOptions& o) { return stationary(s, o.approximate); }},
    Predictor{Engine::markov, "expected run: Poisson arrivals, exponential work",
              [](const Scenario& s, const PredictOptions& o) {
                return settle_without_chance(markov, s, o.approximate);
              }},
};

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

Tally predict(Engine engine, const Scenario& scenario, const PredictOptions& options) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Predictor& p) { return p.engine == engine; });
  if (found == table.end()) throw std::domain_error("predict: the testbed predicts nothing");
  return found->run(scenario, options);
}

Predict predict_with(Engine engine, const PredictOptions& options) {
  return [engine, options](const Scenario& scenario) { return predict(engine, scenario, options); };
}

}  // namespace retrystorm
