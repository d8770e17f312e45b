// Standard input as one text, for the verbs that take a document there.
#pragma once

#include <string>
#include <string_view>

namespace retrystorm {

// Where a document from standard input stands, for messages.
inline constexpr std::string_view standard_input = "standard input";

// All of it, to its end; throws InvalidInput if it cannot be read.
std::string read_standard_input();

}  // namespace retrystorm
