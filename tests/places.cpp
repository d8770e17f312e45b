#include "tests/places.hpp"

namespace retrystorm {

std::string source_path(std::string_view relative) {
  return std::string(SOURCE_DIR "/").append(relative);
}

std::string test_data(std::string_view relative) {
  return source_path("tests/data/").append(relative);
}

std::string program_path() {
  return RETRYSTORM_PROGRAM;
}

}  // namespace retrystorm
