// Decorrelated jitter: each delay is drawn evenly from the base up to three times the request's
// delay before, and capped; the first from the base up to three times that ("Exponential Backoff
// And Jitter", AWS Architecture Blog, 2015; Finagle's decorrelatedJittered). It grows by itself:
// the shape of the backoff does not matter.
#pragma once

#include "core/engine.hpp"
#include "core/policy/jitter/unspread.hpp"
#include "core/random.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace retrystorm {

struct DecorrelatedJitter {
  static constexpr std::string_view name = "decorrelated";
  static constexpr std::string_view help =
      "evenly drawn from [backoff, 3 x the delay before), at most backoff_cap";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = true;

  Duration spread(const Unspread& from, Random& random) const {
    // A cap below the base leaves nothing to draw from.
    const Duration width = std::max(3 * from.previous - from.base, Duration::zero());
    const auto drawn =
        static_cast<std::int64_t>(random.uniform() * static_cast<double>(width.count()));
    return std::min(from.base + Duration(drawn), from.cap);
  }
};

}  // namespace retrystorm
