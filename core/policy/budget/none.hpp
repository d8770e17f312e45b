// No budget: every attempt that is left may be made.
#pragma once

#include "core/engine.hpp"

#include <string_view>

namespace retrystorm {

struct NoBudget {
  static constexpr std::string_view name = "none";
  static constexpr std::string_view help = "as many retries as there are attempts";
  static constexpr EngineSet engines = every_engine;
  static constexpr bool draws = false;

  struct State {};
};

}  // namespace retrystorm
