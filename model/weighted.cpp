#include "model/weighted.hpp"

#include <algorithm>

namespace retrystorm {

Quantiles weighted_quantiles(std::vector<WeightedLatency> latencies) {
  std::erase_if(latencies, [](const WeightedLatency& l) { return !(l.weight > 0); });
  if (latencies.empty()) return {};
  std::sort(latencies.begin(), latencies.end(),
            [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  double total = 0;
  double sum = 0;
  for (const WeightedLatency& l : latencies) {
    total += l.weight;
    sum += l.weight * l.seconds;
  }
  const auto quantile = [&](double q) {
    double below = 0;
    for (const WeightedLatency& l : latencies) {
      below += l.weight;
      if (below >= q * total * (1 - 1e-12)) return l.seconds * 1e3;
    }
    return latencies.back().seconds * 1e3;
  };
  return {sum / total * 1e3, quantile(0.5),   quantile(0.9),
          quantile(0.99),    quantile(0.999), latencies.back().seconds * 1e3};
}

}  // namespace retrystorm
