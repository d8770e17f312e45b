// A case through the real program, as its user would ask: `retrystorm predict FILE`.
#pragma once

#include "tests/campaign/case.hpp"

#include <cstddef>
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

}  // namespace retrystorm::campaign
