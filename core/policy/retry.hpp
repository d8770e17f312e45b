// Whether a failed attempt is tried again. After what delay says backoff.hpp.
#pragma once

#include "core/scenario.hpp"

#include <cstdint>

namespace retrystorm {

struct RetryPolicy {
  std::uint32_t retries = 0;  // extra attempts per request
  OutcomeSet retry_on;

  explicit RetryPolicy(const ClientSettings& c)
      : retries(static_cast<std::uint32_t>(c.retries)), retry_on(c.retry_on) {}

  // True if attempt number `attempt` (from 0), having ended so, is followed by another.
  bool retries_after(std::uint32_t attempt, AttemptOutcome outcome) const {
    return attempt < retries && retry_on.contains(outcome);
  }
};

// The fields of this policy.
void declare_retry(FieldList& list);

}  // namespace retrystorm
