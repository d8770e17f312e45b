// Admission: a token bucket and a concurrency limit before the work. Decides in integers on
// credits, so that any machine gives the same answer; no clock, no allocation, a few nanoseconds a
// decision. What a request costs, and telling when it has finished, is the driver's.
#pragma once

#include "core/reason.hpp"
#include "core/units.hpp"

#include <cstdint>
#include <string_view>

namespace retrystorm {

// Holds every product here: 2^63 tokens in credits, 2^63 ms in nanoseconds.
__extension__ typedef __int128 Wide;

// All positive; AdmissionPolicy refuses others.
struct AdmissionLimits {
  std::int64_t capacity = 1;           // tokens the bucket holds
  std::int64_t tokens_per_second = 1;  // that flow into it
  std::int64_t concurrency = 1;        // accepted requests in flight
};

// A decision in one word: the reason of a refusal, or "accepted" where there is none.
constexpr std::string_view decision_name(Reason refusal) {
  return refusal == Reason::none ? "accepted" : name(refusal);
}

class AdmissionPolicy {
 public:
  // A token is a thousand million credits: one token a second is one credit a nanosecond.
  static constexpr std::int64_t credits_per_token = 1'000'000'000;

  // The bucket starts full at `start` (nanoseconds since any origin). Throws InvalidInput for a
  // limit that is not positive.
  explicit AdmissionPolicy(const AdmissionLimits& limits, Wide start = 0);

  // Why a request of `cost` tokens (at least 1) is refused at `now`; Reason::none for an accepted
  // one, which has paid and is in flight until finished(). A refused one changes nothing. Time
  // never runs backwards for the bucket: an earlier `now` counts as the latest one.
  Reason arrive(Wide now, std::int64_t cost) {
    refill(now);
    if (cost > limits_.capacity) return Reason::cost_exceeds_capacity;
    if (in_flight_ >= limits_.concurrency) return Reason::concurrency_limit;
    const Wide price = Wide{cost} * credits_per_token;
    if (credits_ < price) return Reason::rate_limit;
    credits_ -= price;
    ++in_flight_;
    return Reason::none;
  }
  Reason arrive(Instant now, std::int64_t cost) { return arrive(Wide{nanoseconds_of(now)}, cost); }

  // An accepted request has ended, before anything that arrives at the same instant.
  void finished() { --in_flight_; }

  // As of the latest arrival.
  Wide credits() const { return credits_; }
  std::int64_t in_flight() const { return in_flight_; }

 private:
  void refill(Wide now) {
    if (now <= now_) return;
    Wide gained = 0;
    const bool beyond =
        __builtin_mul_overflow(now - now_, Wide{limits_.tokens_per_second}, &gained);
    now_ = now;
    credits_ = beyond || gained >= full_ - credits_ ? full_ : credits_ + gained;
  }

  AdmissionLimits limits_;
  Wide full_;
  Wide credits_;
  Wide now_;
  std::int64_t in_flight_ = 0;
};

}  // namespace retrystorm
