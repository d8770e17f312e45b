// A flag that means something by its absence must not be absent by mistake: `--until "$CLOSE"` with
// nothing in CLOSE is refused, and not taken for no flag.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace retrystorm {

// For CLI::Option::check().
inline std::string not_empty(const std::string& text) {
  return text.empty() ? "must not be empty; it can be left out" : "";
}

}  // namespace retrystorm
