// Numbers as people read them: the tables on the terminal, and the pieces that other formats share.
#pragma once

#include "core/tally.hpp"

#include <string>
#include <string_view>

namespace retrystorm {

// What stands where there is no number, in every format.
inline constexpr std::string_view no_number = "-";

// "1,234.50": thousands grouped, so many digits behind the point.
std::string grouped(double number, int digits);
// "1,234,567"; two decimals where a count is not whole.
std::string grouped(double number);
std::string count_text(const Count& count);

// Three figures are enough for a rate, but a whole number stays whole: "228.6", "1,200", "0.04".
std::string rate_text(const Count& rate);
// The same as it could be typed again, not grouped: "1200".
std::string plain_rate_text(double rate);

std::string fixed_text(const Count& number, int digits);

// "92.3 %"; 0.0 % and 100.0 % are nothing and all, not nearly so ("<0.1 %", ">99.9 %").
std::string share_text(const Count& share);

// "12.3 s", "9.5 h", "332 days", "47 years"; "never" beyond a century.
std::string long_time_text(double seconds);

// "+0.03%" of a share; "0" for none at all.
std::string signed_percent(const Count& share);

}  // namespace retrystorm
