// The report as a table for people: a group of rows an arm, published beside measured, the whole
// run beside the settled window, and below it what the figures mean and where they mislead.
#pragma once

#include "core/terminal.hpp"
#include "experiments/report/report.hpp"

#include <string>
#include <string_view>

namespace retrystorm {

// Of columns that do not fit the width some are left out, and named. `directory` is the run
// directory, for the last line; may be empty.
std::string report_table(const Report& report, std::string_view directory, const Look& look);

}  // namespace retrystorm
