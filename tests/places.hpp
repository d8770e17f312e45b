// Where the tests find what they do not make themselves. (Paths in one object, not in the command
// line of each: the same test in another folder then compiles to the same object.)
#pragma once

#include <string>
#include <string_view>

namespace retrystorm {

// In the source tree, by its path from the root.
std::string source_path(std::string_view relative);
// In tests/data.
std::string test_data(std::string_view relative);
// The built program.
std::string program_path();

}  // namespace retrystorm
