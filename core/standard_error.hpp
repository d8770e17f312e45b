// Standard error: what is said there helps a person, and nothing depends on it. One that is closed
// or full ends no run, and hides no exit code.
#pragma once

#include <cstdio>
#include <string_view>

namespace retrystorm {

// Says `text`, at once; what cannot be said is lost.
inline void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace retrystorm
