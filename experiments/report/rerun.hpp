// The commands that repeat a run, print its report again and ask its ledger.
#pragma once

#include "experiments/report/report.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

// One command a line, to be pasted into a shell. `directory` is the run directory.
std::vector<std::string> rerun_commands(const Report& report, std::string_view directory);

// `text` as one word of a POSIX shell.
std::string shell_quoted(std::string_view text);

}  // namespace retrystorm
