// Admission: a token bucket and a concurrency limit before the work. Decides in integers on
// credits, so that any machine gives the same answer; no clock, no allocation, a few nanoseconds a
// decision. What a request costs, and telling when it has finished, is the driver's.
#pragma once

#include "core/units.hpp"

#include <array>
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

// In the order in which the reasons are looked at.
enum class AdmissionDecision : std::uint8_t {
  cost_exceeds_capacity,  // no bucket of this size can ever pay for it
  concurrency_limit,      // too many in flight
  rate_limit,             // too few tokens now
  accepted,
};
inline constexpr std::array<std::string_view, 4> admission_decision_names = {
    "cost_exceeds_capacity", "concurrency_limit", "rate_limit", "accepted"};
constexpr std::string_view name(AdmissionDecision v) {
  return admission_decision_names[static_cast<std::size_t>(v)];
}

class AdmissionPolicy {
 public:
  // A token is a thousand million credits: one token a second is one credit a nanosecond.
  static constexpr std::int64_t credits_per_token = 1'000'000'000;

  // The bucket starts full at `start` (nanoseconds since any origin). Throws InvalidInput for a
  // limit that is not positive.
  explicit AdmissionPolicy(const AdmissionLimits& limits, Wide start = 0);

  // Decides on a request of `cost` tokens (at least 1) at `now`. An accepted one has paid and is in
  // flight until finished(); a refused one changes nothing. Time never runs backwards for the
  // bucket: an earlier `now` counts as the latest one.
  AdmissionDecision arrive(Wide now, std::int64_t cost) {
    refill(now);
    if (cost > limits_.capacity) return AdmissionDecision::cost_exceeds_capacity;
    if (in_flight_ >= limits_.concurrency) return AdmissionDecision::concurrency_limit;
    const Wide price = Wide{cost} * credits_per_token;
    if (credits_ < price) return AdmissionDecision::rate_limit;
    credits_ -= price;
    ++in_flight_;
    return AdmissionDecision::accepted;
  }
  AdmissionDecision arrive(Instant now, std::int64_t cost) {
    return arrive(Wide{nanoseconds_of(now)}, cost);
  }

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
