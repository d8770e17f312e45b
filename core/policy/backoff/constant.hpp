// The same delay before each retry; zero: at once.
#pragma once

#include "core/engine.hpp"
#include "core/units.hpp"

#include <cstdint>
#include <string_view>

namespace retrystorm {

struct ConstantBackoff {
  static constexpr std::string_view name = "constant";
  static constexpr std::string_view help = "the same before each retry";
  static constexpr EngineSet engines = every_engine;
  static constexpr bool draws = false;

  // Nothing grows: the cap is for what does.
  Duration before_retry(Duration base, std::uint32_t, Duration /*cap*/) const { return base; }
};

}  // namespace retrystorm
