// A retry breaker: no retries while more than a share of all first tries so far has failed. It
// never forgets and lets every first try through, so it is another thing than a circuit breaker.
// (M. Brooker, "Fixing retries with token buckets and circuit breakers", 2022.)
#pragma once

#include "core/engine.hpp"
#include "core/outcome.hpp"
#include "core/reason.hpp"
#include "core/units.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace retrystorm {

template <typename T>
struct FieldOf;

struct RetryBreaker {
  static constexpr std::string_view name = "retry-breaker";
  static constexpr std::string_view help = "no retries while too many first tries have failed";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = false;

  double ratio = 0.1;

  struct State {
    std::uint64_t first_tries = 0, failed = 0;
  };

  State start() const { return {}; }
  void sent(State& s, Instant, bool retry) const {
    if (!retry) ++s.first_tries;
  }
  void ended(State& s, Instant, AttemptOutcome outcome, bool retry, std::uint32_t) const {
    if (!retry && outcome != AttemptOutcome::succeeded) ++s.failed;
  }
  Reason may_retry(State& s, Instant, AttemptOutcome, std::uint32_t&) const {
    const double most = ratio * static_cast<double>(s.first_tries);
    return static_cast<double>(s.failed) > most + rounding ? Reason::retry_breaker : Reason::none;
  }

  template <typename S = FieldOf<RetryBreaker>>
  static std::vector<S> settings() {
    return {{"retry_breaker_ratio", typename S::Number{&RetryBreaker::ratio, 0, 1}, engines,
             "failed first tries of all so far beyond which none is retried (retry breaker)"}};
  }

 private:
  static constexpr double rounding = 1e-6;  // 0.1 x 30 is 3
};

}  // namespace retrystorm
