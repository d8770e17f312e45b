// Last in, first out: whoever came last has the most patience left. A full queue refuses the
// arrival, as any does.
#pragma once

#include "core/engine.hpp"

#include <string_view>

namespace retrystorm {

class Random;

struct Lifo {
  static constexpr std::string_view name = "lifo";
  static constexpr std::string_view help = "newest first";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = false;
  // Whoever is overtaken may wait for ever, at whatever place it joined.
  static constexpr bool has_useful_queue = false;

  template <typename Waiting>
  static auto take(Waiting& waiting, Random&) {
    const auto next = waiting.back();
    waiting.pop_back();
    return next;
  }
};

}  // namespace retrystorm
