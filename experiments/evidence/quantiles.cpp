#include "experiments/evidence/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace retrystorm {

std::int64_t nearest_rank(const std::vector<std::int64_t>& sorted, double q) {
  const double exact = q * static_cast<double>(sorted.size());
  // A product such as 0.9 x 10 may come out a little above its whole number.
  const auto rank = static_cast<std::size_t>(std::ceil(exact - 1e-9 * exact));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

Quantiles exact_quantiles(std::vector<std::int64_t> durations) {
  Quantiles q;
  if (durations.empty()) return q;
  std::sort(durations.begin(), durations.end());
  const auto ms = [](std::int64_t ns) { return static_cast<double>(ns) / 1e6; };
  // A damaged record may hold any number: a sum of them needs more than their own 64 bits.
  __extension__ using Wide = __int128;
  const Wide sum = std::accumulate(durations.begin(), durations.end(), Wide{0});
  q.mean = static_cast<double>(sum) / 1e6 / static_cast<double>(durations.size());
  q.p50 = ms(nearest_rank(durations, 0.5));
  q.p90 = ms(nearest_rank(durations, 0.9));
  q.p99 = ms(nearest_rank(durations, 0.99));
  q.p999 = ms(nearest_rank(durations, 0.999));
  q.max = ms(durations.back());
  return q;
}

}  // namespace retrystorm
