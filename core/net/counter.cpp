#include "core/net/counter.hpp"

namespace retrystorm {

BucketBounds::BucketBounds(Duration unit, const std::vector<double>& multiples) {
  for (const double multiple : multiples) {
    if (bounds_.size() == most) break;
    bounds_.push_back(from_seconds(seconds(unit) * multiple));
  }
}

void BucketTotals::add(const BucketCounts& other) {
  for (std::size_t b = 0; b < counts.size(); ++b) counts[b] += other.count(b);
  sum += other.sum();
}

std::uint64_t BucketTotals::count() const {
  std::uint64_t all = 0;
  for (const std::uint64_t n : counts) all += n;
  return all;
}

}  // namespace retrystorm
