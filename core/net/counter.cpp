#include "core/net/counter.hpp"

namespace retrystorm {

BucketBounds::BucketBounds(Duration unit, const std::vector<double>& multiples) {
  for (const double multiple : multiples) {
    if (bounds_.size() == most) break;
    bounds_.push_back(from_seconds(seconds(unit) * multiple));
  }
}

void BucketCounts::add(const BucketCounts& other) {
  for (std::size_t b = 0; b < counts_.size(); ++b) counts_[b].add(other.count(b));
  sum_.add(other.sum());
}

}  // namespace retrystorm
