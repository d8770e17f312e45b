// A flag that takes a number within bounds. CLI::Range lets a NaN pass, with which no comparison
// holds.
#pragma once

#include "core/units.hpp"

#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace retrystorm {

// For CLI::Option::check().
inline CLI::Validator within(double low, double high) {
  return {[=](std::string& text) {
            const auto value = parse_number(text);
            return value && *value >= low && *value <= high
                       ? std::string()
                       : fmt::format("must be a number from {} to {}", low, high);
          },
          ""};
}

}  // namespace retrystorm
