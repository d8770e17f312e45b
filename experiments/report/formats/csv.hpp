// The report as CSV (RFC 4180): one line for each arm and source (published, predicted, measured,
// every repeat), one column for each figure of a Tally, named by its path in report.json.
#pragma once

#include "experiments/report/report.hpp"

#include <string>
#include <string_view>

namespace retrystorm {

std::string report_csv(const Report& report);

}  // namespace retrystorm
