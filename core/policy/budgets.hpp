// What a caller may spend on retries: the budgets there are. A new one is one file in budget/ and
// one name here. Beside what every alternative has (choice.hpp), one has
//   struct State, and State start() const   what a caller keeps: small, nothing allocated
// and those of these that it looks at:
//   Reason may_send(State&, now, Random&, mark&)      at each send; the mark stays with the attempt
//   void sent(State&, now, retry)                     an attempt that was let through
//   void ended(State&, now, outcome, retry, mark)     before the decision on its retry
//   Reason may_retry(State&, now, outcome, mark&)     the decision, which pays
//   void retry_dropped(State&)                        such a retry was never sent
//   void not_made(State&, now, retry, mark)           what was let through could not be made
#pragma once

#include "core/choice.hpp"
#include "core/policy/budget/adaptive_throttle.hpp"
#include "core/policy/budget/circuit_breaker.hpp"
#include "core/policy/budget/concurrent_share.hpp"
#include "core/policy/budget/none.hpp"
#include "core/policy/budget/retry_breaker.hpp"
#include "core/policy/budget/retry_quota.hpp"
#include "core/policy/budget/retry_ratio.hpp"
#include "core/policy/budget/token_bucket.hpp"

namespace retrystorm {

struct Budgets : Choice<NoBudget, TokenBucket, RetryRatio, ConcurrentShare, RetryQuota,
                        AdaptiveThrottle, CircuitBreaker, RetryBreaker> {
  using Choice::Choice;
};

}  // namespace retrystorm
