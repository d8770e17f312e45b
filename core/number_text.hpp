// Numbers as the tables on the terminal show them.
#pragma once

#include "core/tally.hpp"

#include <string>
#include <string_view>

namespace retrystorm {

// What stands where there is no number.
inline constexpr std::string_view unknown = "-";

// "1,234,567"; two decimals where a count is not whole.
std::string grouped(double number);
std::string count_text(const Count& count);

// Three figures are enough for a rate, but a whole number stays whole.
std::string rate_text(const Count& rate);

std::string fixed_text(const Count& number, int digits);

// "+0.03%" of a share; "0" for none at all.
std::string signed_percent(const Count& share);

// "word       the text, wrapped, its further lines under the first".
std::string explained(std::string_view word, std::string_view text);

}  // namespace retrystorm
