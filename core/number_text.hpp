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

// Three figures are enough for a rate, but a whole number stays whole.
std::string rate_text(const Count& rate);

std::string fixed_text(const Count& number, int digits);

// "92.3 %".
std::string share_text(const Count& share);

// "+0.03%" of a share; "0" for none at all.
std::string signed_percent(const Count& share);

}  // namespace retrystorm
