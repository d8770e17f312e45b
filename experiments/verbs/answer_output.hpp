// Where a verb with --out FILE puts its answer.
#pragma once

#include "core/terminal.hpp"

#include <string>
#include <string_view>

namespace retrystorm {

// True if an answer for `out`, as given with --out (standard output if it is "-" or empty), is seen
// on a terminal.
bool goes_to_terminal(const std::string& out);

// How the answer looks there: in a file without colour, as wide as where the verb was called.
Look look_of_answer(const std::string& out);

// Throws InvalidInput where no file could be written: known before the answer is worked out.
void check_out(const std::string& out);

// Throws RunFailed.
void write_answer(const std::string& out, std::string_view text);

}  // namespace retrystorm
