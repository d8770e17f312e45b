// Service in random order: each waiting request is as likely as another to be next.
#pragma once

#include "core/engine.hpp"
#include "core/random.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

namespace retrystorm {

struct RandomOrder {
  static constexpr std::string_view name = "random";
  static constexpr std::string_view help = "in random order, each with equal chances";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = true;
  static constexpr bool has_useful_queue = false;

  // Apart, so that the other disciplines stay short enough to be inlined.
  template <typename Waiting>
  [[gnu::noinline]] static auto take(Waiting& waiting, Random& random) {
    const auto chosen =
        static_cast<std::size_t>(random.uniform() * static_cast<double>(waiting.size()));
    std::swap(waiting[chosen], waiting.back());
    const auto next = waiting.back();
    waiting.pop_back();
    return next;
  }
};

}  // namespace retrystorm
