// A quota that retries pay from, each by the kind of failure before it. A first try that succeeds
// pays a little back; a retry that succeeds gives back what it cost itself, not what the retries
// before it did. As the AWS SDKs' standard mode has it (botocore's retries/quota.py).
#pragma once

#include "core/engine.hpp"
#include "core/outcome.hpp"
#include "core/reason.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace retrystorm {

template <typename T>
struct FieldOf;

struct RetryQuota {
  static constexpr std::string_view name = "quota";
  static constexpr std::string_view help =
      "a retry costs by the failure before it; success pays back";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = false;

  std::int64_t quota = 500;
  std::int64_t cost = 5;
  std::int64_t cost_rejected = 5;
  std::int64_t cost_timed_out = 10;
  std::int64_t refund = 1;

  struct State {
    std::int64_t left = 0;
  };

  State start() const { return {quota}; }
  // The mark of an attempt is what it cost.
  void ended(State& s, Instant, AttemptOutcome outcome, bool retry, std::uint32_t mark) const {
    if (outcome != AttemptOutcome::succeeded) return;
    s.left = std::min(s.left + (retry ? static_cast<std::int64_t>(mark) : refund), quota);
  }
  Reason may_retry(State& s, Instant, AttemptOutcome outcome, std::uint32_t& mark) const {
    const std::int64_t price = outcome == AttemptOutcome::timed_out  ? cost_timed_out
                               : outcome == AttemptOutcome::rejected ? cost_rejected
                                                                     : cost;
    if (s.left < price) return Reason::budget_exhausted;
    s.left -= price;
    mark = static_cast<std::uint32_t>(price);
    return Reason::none;
  }

  template <typename S = FieldOf<RetryQuota>>
  static std::vector<S> settings() {
    using Self = RetryQuota;
    return {{"budget_quota", typename S::Whole{&Self::quota, 0, 1'000'000'000}, engines,
             "the most that there is to pay from; it starts full (quota)"},
            {"budget_cost", typename S::Whole{&Self::cost, 0, 1'000'000}, engines,
             "of a retry after any other failure than the two below (quota)"},
            {"budget_cost_rejected", typename S::Whole{&Self::cost_rejected, 0, 1'000'000}, engines,
             "of a retry after a rejected attempt (quota)"},
            {"budget_cost_timed_out", typename S::Whole{&Self::cost_timed_out, 0, 1'000'000},
             engines, "of a retry after a timeout (quota)"},
            {"budget_refund", typename S::Whole{&Self::refund, 0, 1'000'000}, engines,
             "what a first try that succeeds pays back (quota)"}};
  }
};

}  // namespace retrystorm
