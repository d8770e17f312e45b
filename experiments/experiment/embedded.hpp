// A text file of the source tree that the program carries with it; CMake turns such files into
// code.
#pragma once

#include <string_view>

namespace retrystorm {

struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

}  // namespace retrystorm
