// Standard error: what is said there helps a person, and nothing depends on it. One that is closed,
// full, or a pipe that nobody reads any more ends no run, and hides no exit code.
#pragma once

#include <string_view>

namespace retrystorm {

// Says `text`, at once; what cannot be said is lost.
void say(std::string_view text);

}  // namespace retrystorm
