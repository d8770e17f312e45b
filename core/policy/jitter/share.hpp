// A share of the delay to either side: delay x [1 - s, 1 + s), as gRPC (0.2), Polly (0.25) and
// Resilience4j (its randomization factor) have it.
#pragma once

#include "core/engine.hpp"
#include "core/policy/jitter/unspread.hpp"
#include "core/random.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace retrystorm {

template <typename T>
struct FieldOf;

struct ShareJitter {
  static constexpr std::string_view name = "share";
  static constexpr std::string_view help = "evenly drawn from delay x [1 - share, 1 + share)";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = true;

  double share = 0.2;

  Duration spread(const Unspread& from, Random& random) const {
    const double factor = 1 - share + 2 * share * random.uniform();
    return Duration(static_cast<std::int64_t>(factor * static_cast<double>(from.delay.count())));
  }

  template <typename S = FieldOf<ShareJitter>>
  static std::vector<S> settings() {
    return {{"jitter_share", typename S::Number{&ShareJitter::share, 0, 1}, engines,
             "how far a delay goes to either side (jitter share)"}};
  }
};

}  // namespace retrystorm
