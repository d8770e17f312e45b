// Advice for a scenario: how long a queue is useful, how far the configured one is beyond it, and
// what each single change would buy, by the predictions of an engine. Data, and one paragraph.
#pragma once

#include "core/fields.hpp"
#include "core/scenario.hpp"
#include "model/engines.hpp"

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
};

struct Advice {
  // Places whose occupants can still succeed; nothing where the discipline has no such number.
  std::optional<std::int64_t> useful_queue;
  std::int64_t queue = 0;   // configured
  std::int64_t beyond = 0;  // places past the useful ones, at least 0; 0 where there are none
  double offered_per_s = 0;
  double ceiling_per_s = 0;     // workers / work
  double goodput_per_s = 0;     // predicted, settled
  std::vector<Change> changes;  // the best first
  std::string text;             // all of it in one paragraph
};

// Whether a change is worth a mention: it buys more than a hundredth of what is offered.
bool helps(const Change& change, const Advice& advice);

// `engine`: whose predictions they are, for the text. Throws what `predict` throws for the scenario
// as it is, and InvalidInput if the engine gives no settled goodput.
Advice advise(const Scenario& scenario, std::string_view engine, const Predict& predict);

boost::json::value to_json(const Advice& advice);

}  // namespace retrystorm
