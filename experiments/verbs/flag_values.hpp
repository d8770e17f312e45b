// What flags take as text: whole numbers, percentages. One message each, naming the flag and what
// would be right.
#pragma once

#include <cstdint>
#include <string_view>

namespace retrystorm {

// The number that `text` is; throws InvalidInput naming the flag and the bounds.
std::int64_t whole_flag(std::string_view flag, std::string_view text, std::int64_t low,
                        std::int64_t high);

// The percentage that `text` is, in millionths; throws InvalidInput naming the flag.
std::int64_t percent_flag(std::string_view flag, std::string_view text);

}  // namespace retrystorm
