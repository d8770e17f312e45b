// Counts over the latest window of time, in ten slices that are aligned to the start: what is older
// than the ninth slice before the present one is forgotten slice by slice. Of constant size,
// whatever happens.
#pragma once

#include "core/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace retrystorm {

// Kinds: of what is counted.
template <std::size_t Kinds>
class SlicedCounts {
 public:
  static constexpr std::int64_t slices = 10;

  // Forgets what has left the window at `now`; the present slice is the one that add() counts into.
  // Time does not run backwards.
  void advance(Instant now, Duration window) {
    const std::int64_t slice = nanoseconds_of(now) / (window.count() / slices);
    if (slice <= slice_) return;
    if (slice - slice_ >= slices) {
      *this = {};
    } else {
      for (std::int64_t gone = slice_ + 1; gone <= slice; ++gone) forget(at(gone));
    }
    slice_ = slice;
  }
  void add(std::size_t kind) {
    ++at(slice_)[kind];
    ++sums_[kind];
  }
  std::uint64_t sum(std::size_t kind) const { return sums_[kind]; }

 private:
  using Slice = std::array<std::uint32_t, Kinds>;

  Slice& at(std::int64_t slice) { return counts_[static_cast<std::size_t>(slice % slices)]; }
  void forget(Slice& counts) {
    for (std::size_t k = 0; k < Kinds; ++k) sums_[k] -= counts[k];
    counts = {};
  }

  std::int64_t slice_ = 0;  // the present one
  std::array<Slice, slices> counts_{};
  std::array<std::uint64_t, Kinds> sums_{};
};

}  // namespace retrystorm
