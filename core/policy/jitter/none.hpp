// No jitter: the delay is what backoff says.
#pragma once

#include "core/engine.hpp"
#include "core/policy/jitter/unspread.hpp"

#include <string_view>

namespace retrystorm {

class Random;

struct NoJitter {
  static constexpr std::string_view name = "none";
  static constexpr std::string_view help = "the delay as it is";
  static constexpr EngineSet engines = every_engine;
  static constexpr bool draws = false;

  Duration spread(const Unspread& from, Random&) const { return from.delay; }
};

}  // namespace retrystorm
