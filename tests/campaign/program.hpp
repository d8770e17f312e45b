// A case through the real program, as its user would ask: `retrystorm predict FILE`.
#pragma once

#include "tests/campaign/case.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace retrystorm::campaign {

struct Said {
  int code = 0;
  std::string out;
  std::string error;
  std::size_t lines = 0;  // of `error`
  std::string trouble;    // it was killed, hung, or left files behind; empty if none of it
};

Said predict_by_program(const Case& c);

// The same values as flags; nothing where the flags would say something else than the file: text
// for a number is a number there, an empty list is none.
std::optional<Said> predict_by_flags(const Case& c);

}  // namespace retrystorm::campaign
