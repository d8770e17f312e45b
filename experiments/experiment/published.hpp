// Published numbers, kept as data with their source (experiments/published/*.toml) and matched to
// the arms whose scenario is the published bench. Which numbers, only the data knows.
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

// What was published of one arm. What was not stated is empty.
struct Published {
  std::string source;              // its title
  std::string rates;               // how its rates are to be read
  std::vector<std::string> notes;  // what else a reader must know
  Tally tally;                     // engine "published"
};

// The row that `text` (TOML) has for this scenario; nothing if it has none. Throws InvalidInput
// naming `file` for data that is not of the right shape.
std::optional<Published> published_in(std::string_view text, std::string_view file,
                                      const Scenario& scenario);

// The same over all published data that the program carries.
std::optional<Published> published_for(const Scenario& scenario);

}  // namespace retrystorm
