// Whether a report that was read can be one that a run wrote: its books balance, no figure of a
// measurement is negative, and no arm is trusted against its own reasons. It finds what was altered
// by hand where no digest does.
#pragma once

#include "experiments/report/report.hpp"

#include <string_view>

namespace retrystorm {

// A report.json's text, checked; throws InvalidInput naming `where` and what cannot be.
Report checked_report(std::string_view text, std::string_view where);

}  // namespace retrystorm
