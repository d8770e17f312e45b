// Latencies with weights, as analytic engines find them: so many requests took so long.
#pragma once

#include "core/tally.hpp"

#include <vector>

namespace retrystorm {

struct WeightedLatency {
  double seconds = 0;
  double weight = 0;
};

// Mean, quantiles and maximum in milliseconds; empty for no weight. A quantile is the smallest
// latency that at least that share does not exceed, as LatencyHistogram has it.
Quantiles weighted_quantiles(std::vector<WeightedLatency> latencies);

}  // namespace retrystorm
