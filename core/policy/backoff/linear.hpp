// A delay that grows by the same length from retry to retry, up to a cap: min(base x n, cap) before
// retry n.
#pragma once

#include "core/engine.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace retrystorm {

struct LinearBackoff {
  static constexpr std::string_view name = "linear";
  static constexpr std::string_view help = "min(backoff x n, backoff_cap)";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = false;

  // An hour a thousand times fits.
  Duration before_retry(Duration base, std::uint32_t n, Duration cap) const {
    return std::min(base * n, cap);
  }
};

}  // namespace retrystorm
