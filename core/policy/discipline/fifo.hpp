// First in, first out.
#pragma once

#include "core/engine.hpp"

#include <string_view>

namespace retrystorm {

class Random;

struct Fifo {
  static constexpr std::string_view name = "fifo";
  static constexpr std::string_view help = "oldest first";
  static constexpr EngineSet engines = every_engine;
  static constexpr bool draws = false;
  // Whoever is admitted waits for those before it and no longer: so a place is useful or is not, as
  // far as workers finish evenly spaced.
  static constexpr bool has_useful_queue = true;

  template <typename Waiting>
  static auto take(Waiting& waiting, Random&) {
    const auto next = waiting.front();
    waiting.pop();
    return next;
  }
};

}  // namespace retrystorm
