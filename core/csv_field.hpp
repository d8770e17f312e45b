// One field of a line of CSV (RFC 4180), for every table that people open in a spreadsheet.
#pragma once

#include <string>
#include <string_view>

namespace retrystorm {

// Quoted where it must be. Text that a spreadsheet would run as a formula gets a leading
// apostrophe, as OWASP advises ("CSV Injection"); a number stays one.
std::string csv_field(std::string_view text);

}  // namespace retrystorm
