#include "core/histogram.hpp"

#include <algorithm>
#include <cmath>

#include <boost/histogram/unsafe_access.hpp>

namespace retrystorm {

LatencyHistogram::LatencyHistogram() : bins_(std::make_tuple(LogLinearAxis())) {
  first_.reserve(exact_limit);
}

void LatencyHistogram::record(Duration latency) {
  const std::int64_t value = std::max<std::int64_t>(latency.count(), 0);
  ++boost::histogram::unsafe_access::storage(
      bins_)[static_cast<std::size_t>(LogLinearAxis().index(value))];
  if (count_ < exact_limit) first_.push_back(value);
  ++count_;
  sum_ += value;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  bins_ += other.bins_;
  if (count_ + other.count_ <= exact_limit) {
    first_.insert(first_.end(), other.first_.begin(), other.first_.end());
  }
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

std::uint64_t LatencyHistogram::overflow() const {
  return bins_.at(LogLinearAxis::bins);
}

Duration LatencyHistogram::quantile(double q) const {
  if (count_ == 0) return Duration::zero();
  const double exact_rank = std::ceil(q * static_cast<double>(count_));
  const auto rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(exact_rank), 1, count_);
  if (count_ <= exact_limit) {
    std::vector<std::int64_t> sorted = first_;
    const auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(sorted.begin(), nth, sorted.end());
    return Duration(*nth);
  }
  const LogLinearAxis axis;
  std::uint64_t below = 0;
  for (int bin = 0; bin < LogLinearAxis::bins; ++bin) {
    below += bins_.at(bin);
    if (below >= rank) {
      const std::int64_t middle = axis.value(bin) + (axis.value(bin + 1) - axis.value(bin)) / 2;
      return Duration(std::clamp(middle, min_, max_));
    }
  }
  return Duration(max_);  // in the overflow bin
}

Quantiles LatencyHistogram::quantiles() const {
  Quantiles q;
  if (count_ == 0) return q;
  q.mean = static_cast<double>(sum_) / static_cast<double>(count_) * 1e-6;
  q.p50 = milliseconds(quantile(0.5));
  q.p90 = milliseconds(quantile(0.9));
  q.p99 = milliseconds(quantile(0.99));
  q.p999 = milliseconds(quantile(0.999));
  q.max = milliseconds(Duration(max_));
  return q;
}

std::uint64_t LatencyHistogram::count_to(Duration limit) const {
  const int last = LogLinearAxis().index(limit.count());
  std::uint64_t count = 0;
  for (int bin = 0; bin <= std::min(last, LogLinearAxis::bins); ++bin) count += bins_.at(bin);
  return count;
}

}  // namespace retrystorm
