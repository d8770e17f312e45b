// A delay that grows by a factor from retry to retry, up to a cap: min(base x factor^(n-1), cap)
// before retry n, as most clients have it.
#pragma once

#include "core/engine.hpp"
#include "core/units.hpp"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace retrystorm {

template <typename T>
struct FieldOf;

struct ExponentialBackoff {
  static constexpr std::string_view name = "exponential";
  static constexpr std::string_view help = "min(backoff x backoff_factor^(n-1), backoff_cap)";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = false;

  double factor = 2;

  Duration before_retry(Duration base, std::uint32_t n, Duration cap) const {
    const double grown = static_cast<double>(base.count()) * std::pow(factor, n - 1);
    return grown < static_cast<double>(cap.count()) ? Duration(static_cast<std::int64_t>(grown))
                                                    : cap;
  }

  template <typename S = FieldOf<ExponentialBackoff>>
  static std::vector<S> settings() {
    return {{"backoff_factor", typename S::Number{&ExponentialBackoff::factor, 1, 1000}, engines,
             "each delay against the one before it (exponential backoff)"}};
  }
};

}  // namespace retrystorm
