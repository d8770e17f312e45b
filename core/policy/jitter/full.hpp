// Full jitter: a delay drawn evenly from nothing up to what backoff says ("Exponential Backoff And
// Jitter", AWS Architecture Blog, 2015).
#pragma once

#include "core/engine.hpp"
#include "core/policy/jitter/unspread.hpp"
#include "core/random.hpp"

#include <cstdint>
#include <string_view>

namespace retrystorm {

struct FullJitter {
  static constexpr std::string_view name = "full";
  static constexpr std::string_view help = "evenly drawn from [0, delay)";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = true;

  Duration spread(const Unspread& from, Random& random) const {
    return Duration(
        static_cast<std::int64_t>(random.uniform() * static_cast<double>(from.delay.count())));
  }
};

}  // namespace retrystorm
