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
        shape_(*scenario.client.backoff_shape),
        jitter_(*scenario.client.jitter),
        random_(static_cast<std::uint64_t>(scenario.seed), Stream::jitter, member) {}

  // Before retry n, from 1.
  Duration before_retry(std::uint32_t n) {
    const Duration delay =
        shape_.visit([&](const auto& shape) { return shape.before_retry(base_, n); });
    return jitter_.visit([&](const auto& jitter) { return jitter.spread(delay, random_); });
  }

 private:
  Duration base_;
  BackoffShapes shape_;
  Jitters jitter_;
  Random random_;
};

// The fields of this policy.
void declare_backoff(FieldList& list);

}  // namespace retrystorm
