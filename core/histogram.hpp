// Latencies in integer nanoseconds: log-linear bins, 128 to an octave (0.78 % wide), exact while
// few. One per thread and class of outcome, merged at the end.
#pragma once

#include "core/tally.hpp"
#include "core/units.hpp"

#include <cstdint>
#include <vector>

#include <boost/histogram/axis/option.hpp>
#include <boost/histogram/axis/traits.hpp>
#include <boost/histogram/histogram.hpp>
#include <boost/histogram/storage_adaptor.hpp>

namespace retrystorm {

// The axis: one bin a nanosecond below 256 ns, then 128 bins an octave, up to 2^42 ns (73 minutes).
class LogLinearAxis {
 public:
  static constexpr int sub_bits = 7;
  static constexpr int top_bit = 42;
  static constexpr int bins = (top_bit - sub_bits) * (1 << sub_bits) + (1 << sub_bits);

  // Bin of a value; `bins` (the overflow bin) from 2^42 on.
  int index(std::int64_t value) const {
    if (value < 0) value = 0;
    const int bit = 63 - __builtin_clzll(static_cast<unsigned long long>(value) | 1ULL);
    if (bit >= top_bit) return bins;
    const int shift = bit > sub_bits ? bit - sub_bits : 0;
    return (shift << sub_bits) + static_cast<int>(value >> shift);
  }
  // Lower edge of a bin (Boost.Histogram asks for it when it merges).
  std::int64_t value(int bin) const {
    if (bin < (2 << sub_bits)) return bin;
    const int shift = (bin >> sub_bits) - 1;
    return static_cast<std::int64_t>((bin & ((1 << sub_bits) - 1)) | (1 << sub_bits)) << shift;
  }
  int size() const { return bins; }
  static constexpr unsigned options() { return boost::histogram::axis::option::overflow_t::value; }
  friend bool operator==(const LogLinearAxis&, const LogLinearAxis&) { return true; }
};

class LatencyHistogram {
 public:
  LatencyHistogram();

  // Counts one latency; a negative one counts as 0.
  void record(Duration latency);

  // Adds another's counts: the same as having recorded both.
  void merge(const LatencyHistogram& other);

  std::uint64_t count() const { return count_; }
  // Values at or beyond 2^42 ns: counted, not resolved.
  std::uint64_t overflow() const;

  // The smallest recorded value that at least a share q of all do not exceed; exact up to 1,024
  // values, within half a bin (0.4 %) beyond, always within [min, max]. Zero for none.
  Duration quantile(double q) const;

  // Mean, p50, p90, p99, p999 and max in milliseconds; empty for none.
  Quantiles quantiles() const;

  // Cumulative count of values at or below `limit`, to a bin's width: for Prometheus buckets.
  std::uint64_t count_to(Duration limit) const;
  // Sum of all values, exact.
  Duration sum() const { return Duration(sum_); }

 private:
  using Histogram = boost::histogram::histogram<std::tuple<LogLinearAxis>,
                                                boost::histogram::dense_storage<std::uint64_t>>;
  static constexpr std::size_t exact_limit = 1024;

  Histogram bins_;
  std::vector<std::int64_t> first_;  // all values while they are few, then of no use
  std::uint64_t count_ = 0;
  std::int64_t sum_ = 0;
  std::int64_t min_ = INT64_MAX;
  std::int64_t max_ = 0;
};

}  // namespace retrystorm
