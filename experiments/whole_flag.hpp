// A flag that takes a whole number within bounds.
#pragma once

#include "core/error.hpp"
#include "core/units.hpp"
#include "experiments/cli_fields.hpp"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace retrystorm {

// The number that `text` is; throws InvalidInput naming the flag and the bounds.
inline std::int64_t whole_flag(std::string_view flag, std::string_view text, std::int64_t low,
                               std::int64_t high) {
  const auto value = parse_integer(text);
  if (!value || *value < low || *value > high) {
    throw InvalidInput(command_line, flag,
                       fmt::format("must be a whole number from {} to {}", low, high));
  }
  return *value;
}

}  // namespace retrystorm
