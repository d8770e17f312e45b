// What `predict` answers first: the ceiling, the load that collapses the service, the one below
// which it recovers, and the best knob; each within its effort, so that one that costs too much
// says so in its place.
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"
#include "model/advice.hpp"
#include "model/engines.hpp"
#include "model/markov/metastable.hpp"
#include "model/settled/fixed_points.hpp"
#include "model/turning_points.hpp"

#include <optional>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

// What one engine made of a scenario: its tally, or why it refused.
struct EngineAnswer {
  std::string engine;
  std::optional<Tally> tally;
  std::string refusal;
};

// An answer, or why there is none; neither where the question does not arise.
template <typename T>
struct Maybe {
  std::optional<T> value;
  std::string refusal;
};

// Everything beside the tallies.
struct Answers {
  std::string engine;        // that advises: the first that answers; empty if none does
  double goodput_per_s = 0;  // its settled one
  Maybe<TurningPoints> turning;
  Maybe<Advice> advice;
  Maybe<Folds> folds;
  Maybe<MetastableTimes> metastable;
};

// `all`: folds and metastable times too.
Answers answers_for(const Scenario& scenario, const std::vector<EngineAnswer>& engines,
                    const PredictOptions& options, bool all);

// The lines that stand first.
std::string first_lines(const Scenario& scenario, const Answers& answers);
// The advice in full, the folds, how long the good and the bad state last.
std::string further_lines(const Scenario& scenario, const Answers& answers);

// The fields that have their default value, as "workers 20, work 20ms, ...": the ones that shape
// an answer first, the others as a number.
std::string defaults_line(const Scenario& scenario);
// All of them, by path.
std::vector<std::string> fields_at_default(const Scenario& scenario);

// "answer" of the JSON: the turning points, the engine and the best change.
boost::json::value first_json(const Answers& answers);

}  // namespace retrystorm
