// Equal jitter: half of the delay is kept, the other half is drawn ("Exponential Backoff And
// Jitter", AWS Architecture Blog, 2015).
#pragma once

#include "core/engine.hpp"
#include "core/policy/jitter/unspread.hpp"
#include "core/random.hpp"

#include <cstdint>
#include <string_view>

namespace retrystorm {

struct EqualJitter {
  static constexpr std::string_view name = "equal";
  static constexpr std::string_view help = "evenly drawn from [delay/2, delay)";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = true;

  Duration spread(const Unspread& from, Random& random) const {
    const double half = static_cast<double>(from.delay.count()) / 2;
    return Duration(static_cast<std::int64_t>(half + random.uniform() * half));
  }
};

}  // namespace retrystorm
