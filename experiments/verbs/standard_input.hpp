// Standard input as one text, for the verbs that take a document there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace retrystorm {

// Where a document from standard input stands, for messages.
inline constexpr std::string_view standard_input = "standard input";

// More is no document but a mistake (`< /dev/zero`), and would take the machine's memory.
inline constexpr std::size_t longest_input_mib = 256;

// All of it, to its end; throws InvalidInput if it cannot be read or is longer than that.
std::string read_standard_input();

}  // namespace retrystorm
