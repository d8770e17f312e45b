// The report as CSV (RFC 4180): one line for each arm and source (published, predicted, measured,
// every repeat), one column for each figure of a Tally, named by its path in report.json.
#pragma once

#include "experiments/report/report.hpp"

#include <string>
#include <string_view>

namespace retrystorm {

std::string report_csv(const Report& report);

// One field: quoted where it must be. Text that a spreadsheet would run as a formula gets a leading
// apostrophe, as OWASP advises; a number stays one.
std::string csv_field(std::string_view text);

}  // namespace retrystorm
