// The engines that answer a scenario without sockets, as a table: `predict`, `run`, sweeps and
// advice dispatch through it. A new engine is one function and one line in engines.cpp.
#pragma once

#include "core/fields.hpp"
#include "core/scenario.hpp"
#include "core/tally.hpp"
#include "model/effort.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace retrystorm {

struct PredictOptions {
  bool approximate =
      false;           // answer all the same, and list in Tally::approximations what is left out
  int seeds = 1;       // simulate: the mean and the spread over so many; the others draw nothing
  Effort effort = {};  // how much it may cost
};

struct Predictor {
  Engine engine;
  std::string_view about;  // one line for help
  Tally (*run)(const Scenario&, const PredictOptions&, Meter*);
  Cost (*cost)(const Scenario&, const PredictOptions&);
};

std::span<const Predictor> predictors();

// The engine of that name; nothing for "testbed" and unknown ones.
std::optional<Engine> predictor_named(std::string_view name);

// What predict() takes for a scenario that the engine models, or approximates.
Cost cost_of(Engine engine, const Scenario& scenario, const PredictOptions& options = {});

// Answers, or throws InvalidInput for a field the engine does not model (honours.hpp) or a scenario
// it cannot take, or not at that cost; and Interrupted.
Tally predict(Engine engine, const Scenario& scenario, const PredictOptions& options = {});

// A prediction with everything but the scenario decided: what sweeps and advice take.
using Predict = std::function<Tally(const Scenario&)>;
Predict predict_with(Engine engine, const PredictOptions& options = {});

}  // namespace retrystorm
