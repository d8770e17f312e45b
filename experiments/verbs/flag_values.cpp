#include "experiments/verbs/flag_values.hpp"

#include "core/error.hpp"
#include "core/units.hpp"
#include "model/calculators/budget.hpp"

#include <fmt/format.h>

namespace retrystorm {

std::int64_t whole_flag(std::string_view flag, std::string_view text, std::int64_t low,
                        std::int64_t high) {
  const auto value = parse_integer(text);
  if (!value || *value < low || *value > high) {
    throw InvalidInput(command_line, flag,
                       fmt::format("must be a whole number from {} to {}", low, high));
  }
  return *value;
}

std::int64_t percent_flag(std::string_view flag, std::string_view text) {
  const auto millionths = parse_percent(text);
  if (!millionths) {
    throw InvalidInput(command_line, flag,
                       "must be a percentage such as 99.9%, with at most four decimals");
  }
  return *millionths;
}

}  // namespace retrystorm
