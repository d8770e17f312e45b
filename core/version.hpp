// The program's version, from CMake.
#pragma once

#include <string_view>

namespace retrystorm {

std::string_view version();

}  // namespace retrystorm
