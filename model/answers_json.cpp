// What the model says of a scenario besides tallies, as JSON: advice, turning points, folds,
// metastable times and a sweep's knee. Keys may be added, none renamed.
#include "core/json.hpp"
#include "model/advice.hpp"
#include "model/markov/metastable.hpp"
#include "model/settled/fixed_points.hpp"
#include "model/sweep.hpp"
#include "model/turning_points.hpp"

#include <boost/json.hpp>

namespace retrystorm {
namespace json = boost::json;

json::value to_json(const Advice& advice) {
  json::array changes;
  for (const Change& change : advice.changes) {
    changes.push_back(
        {{"field", change.field},
         {"from", change.from},
         {"to", change.to},
         {"why", change.why},
         {"goodput_per_s", json_number(change.goodput_per_s)},
         {"gain_per_s", json_number(change.gain_per_s)},
         {"removes_second_state",
          change.removes_second_state ? json::value(*change.removes_second_state) : nullptr}});
  }
  return {{"useful_queue", advice.useful_queue ? json::value(*advice.useful_queue) : nullptr},
          {"queue", advice.queue},
          {"beyond", advice.beyond},
          {"goodput_per_s", json_number(advice.goodput_per_s)},
          {"changes", std::move(changes)},
          {"second_state", advice.second_state ? to_json(*advice.second_state) : nullptr},
          {"text", advice.text}};
}

json::value to_json(const SecondState& state) {
  return {{"attempts_per_s", json_number(state.attempts_per_s)},
          {"goodput_per_s", json_number(state.goodput_per_s)},
          {"from_per_s", json_number(state.from_per_s)}};
}

json::value to_json(const Folds& folds) {
  return {{"good_state_ends_per_s", json_number(folds.upper.rate)},
          {"bad_state_from_per_s", json_number(folds.lower.rate)}};
}

json::value to_json(const MetastableTimes& times) {
  return {{"collapse_s", json_number(times.collapse_s)},
          {"recover_s", json_number(times.recover_s)},
          {"approximations", json::value_from(times.approximations)}};
}

json::value to_json(const TurningPoints& points) {
  return {{"ceiling_per_s", json_number(points.ceiling_per_s)},
          {"collapses_above_per_s", json_number(points.collapses_above_per_s)},
          {"recovers_below_per_s", json_number(points.recovers_below_per_s)},
          {"unknown", points.unknown}};
}

json::value to_json(const Knee& knee) {
  return {{"rate", json_number(knee.rate)}, {"goodput_per_s", json_number(knee.goodput_per_s)}};
}

}  // namespace retrystorm
