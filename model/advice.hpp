// Advice for a scenario: how long a queue is useful, how far the configured one is beyond it, what
// each single change would buy, by the predictions of an engine, and whether a second settled state
// waits for a burst, by the fixed points. Data, and one paragraph.
#pragma once

#include "core/fields.hpp"
#include "core/scenario.hpp"
#include "model/engines.hpp"
#include "model/settled/second_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

// One field set to another value, all else as it is.
struct Change {
  std::string field;  // its path
  std::string from, to;
  std::string why;  // how `to` was chosen
  std::optional<double>
      goodput_per_s;      // settled; nothing if the engine refuses the changed scenario
  double gain_per_s = 0;  // against now
  // Whether the second state is gone with it; nothing if there is none, or it is not known.
  std::optional<bool> removes_second_state = std::nullopt;
};

struct Advice {
  // Places whose occupants can still succeed; nothing where the discipline has no such number.
  std::optional<std::int64_t> useful_queue;
  std::int64_t queue = 0;   // configured
  std::int64_t beyond = 0;  // places past the useful ones, at least 0; 0 where there are none
  double offered_per_s = 0;
  double ceiling_per_s = 0;  // workers / work
  double goodput_per_s = 0;  // predicted, settled
  std::optional<SecondState> second_state;
  std::vector<Change> changes;  // the best first
  std::string text;             // all of it in one paragraph
};

// Whether a change is worth a mention: it buys more than a hundredth of what is offered.
bool helps(const Change& change, const Advice& advice);

// The change to try first: the one that buys most, or, where none buys anything, one that removes
// the second state; nullptr where there is neither.
const Change* best_change(const Advice& advice);
// "service.queue 69 instead of 100 (why): 1000/s, +1000".
std::string change_words(const Change& change);

// `engine`: whose predictions they are, for the text. Throws what `predict` throws for the scenario
// as it is, and InvalidInput if the engine gives no settled goodput or there are several classes of
// clients. `meter`: of the work for the second states.
Advice advise(const Scenario& scenario, std::string_view engine, const Predict& predict,
              Meter* meter = nullptr);

// The same by an engine, within its effort: throws InvalidInput, one line, where the six
// predictions or so that it takes cost too much together.
Advice advise(const Scenario& scenario, Engine engine, const PredictOptions& options);
Cost advice_cost(const Scenario& scenario, Engine engine, const PredictOptions& options);

// What a burst can leave behind and which changes prevent it, as sentences; empty if there is no
// second state.
std::string second_state_words(const Advice& advice);

boost::json::value to_json(const Advice& advice);

}  // namespace retrystorm
