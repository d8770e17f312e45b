// Small change of sentences: figures with their unit, counted nouns, lists.
#pragma once

#include "core/tally.hpp"
#include "core/units.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

// "1,200/s".
std::string rate_words(const Count& rate);
// "92 %"; "0.40 %" and "99.60 %" near the ends, which are nothing and all, not nearly so.
std::string share_words(double share);
// "1 arm", "1,234 arms".
std::string count_words(std::size_t n, std::string_view one, std::string_view many);
// "100 ms", "200 µs".
std::string duration_words(Duration duration);
// "a, b and c".
std::string listed(const std::vector<std::string>& items);

}  // namespace retrystorm
