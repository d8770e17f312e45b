// How long a client waits before a retry: a shape, and the jitter on it.
#pragma once

#include "core/policy/backoffs.hpp"
#include "core/random.hpp"
#include "core/scenario.hpp"

#include <cstdint>

namespace retrystorm {

class Backoff {
 public:
  // `member`: which of several clients that share a seed; each draws from a stream of its own.
  Backoff(const Scenario& scenario, std::uint64_t member)
      : base_(scenario.client.backoff),
        cap_(scenario.client.backoff_cap),
        shape_(*scenario.client.backoff_shape),
        jitter_(*scenario.client.jitter),
        random_(static_cast<std::uint64_t>(scenario.seed), Stream::jitter, member) {}

  // Before retry n, from 1; `previous` is what this gave before the request's retry n - 1, and
  // means nothing before its first.
  Duration before_retry(std::uint32_t n, Duration previous) {
    const Duration delay =
        shape_.visit([&](const auto& shape) { return shape.before_retry(base_, n, cap_); });
    const Unspread from{delay, base_, n == 1 ? base_ : previous, cap_};
    return jitter_.visit([&](const auto& jitter) { return jitter.spread(from, random_); });
  }

 private:
  Duration base_;
  Duration cap_;
  BackoffShapes shape_;
  Jitters jitter_;
  Random random_;
};

// The fields of this policy.
void declare_backoff(FieldList& list);

}  // namespace retrystorm
