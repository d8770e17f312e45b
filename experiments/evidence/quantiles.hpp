// Exact quantiles of what was measured, by nearest rank: all values are at hand.
#pragma once

#include "core/tally.hpp"

#include <cstdint>
#include <vector>

namespace retrystorm {

// Mean, quantiles by nearest rank and maximum, in milliseconds, of durations in nanoseconds;
// empty for none.
Quantiles exact_quantiles(std::vector<std::int64_t> durations);

// The value that at least a share q of the sorted values do not exceed (nearest rank); at least
// one value.
std::int64_t nearest_rank(const std::vector<std::int64_t>& sorted, double q);

}  // namespace retrystorm
