// A flag that takes a percentage.
#pragma once

#include "core/error.hpp"
#include "experiments/cli_fields.hpp"
#include "model/budget.hpp"

#include <cstdint>
#include <string_view>

namespace retrystorm {

// The percentage that `text` is, in millionths; throws InvalidInput naming the flag.
inline std::int64_t percent_flag(std::string_view flag, std::string_view text) {
  const auto millionths = parse_percent(text);
  if (!millionths) {
    throw InvalidInput(command_line, flag,
                       "must be a percentage such as 99.9%, with at most four decimals");
  }
  return *millionths;
}

}  // namespace retrystorm
