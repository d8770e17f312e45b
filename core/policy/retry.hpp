// Whether a failed attempt is tried again, and what the server has a say in. After what delay says
// backoff.hpp; what a caller may spend on retries, budget.hpp.
#pragma once

#include "core/reason.hpp"
#include "core/scenario.hpp"

#include <algorithm>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <optional>

namespace retrystorm {

class RetryPolicy {
 public:
  explicit RetryPolicy(const ClientSettings& client);

  // Why attempt number `attempt` (from 0), having ended so, is followed by no other; Reason::none
  // if it may be.
  Reason refusal(std::uint32_t attempt, AttemptOutcome outcome, std::uint16_t status) const {
    const bool retryable =
        retry_on_.contains(outcome) || (status < statuses_.size() && statuses_[status]);
    if (!retryable) return Reason::not_retryable;
    return attempt < retries_ ? Reason::none : Reason::attempts_used_up;
  }

  // The delay that the server's Retry-After makes of the client's own.
  Duration delay(Duration own, const AttemptAnswer& answer) const {
    if (retry_after_ == RetryAfter::ignore || !answer.retry_after) return own;
    const Duration asked = std::min(*answer.retry_after, retry_after_max_);
    return retry_after_ == RetryAfter::exact ? asked : std::max(own, asked);
  }

  // The end of all attempts of a request whose first is sent at `sent`; `never` without one.
  Instant deadline(Instant sent) const {
    return deadline_ == no_deadline ? never : sent + deadline_;
  }

 private:
  static constexpr Duration no_deadline = Duration::max();

  std::uint32_t retries_;  // extra attempts per request
  OutcomeSet retry_on_;
  RetryAfter retry_after_;
  Duration retry_after_max_;
  Duration deadline_;
  std::bitset<600> statuses_;  // single ones, after which an attempt is retried too
};

// What the Retry-After of the service's 503 says: its header knows whole seconds alone.
std::optional<std::chrono::seconds> sent_retry_after(const ServiceSettings& service);

// The fields of this policy.
void declare_retry(FieldList& list);

}  // namespace retrystorm
