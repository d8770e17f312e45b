// Latencies from the law of a sojourn, by finding where it reaches each share: exact where the law
// is, at a cost that does not grow with the timeout. Lists of latencies: weighted.hpp.
#pragma once

#include "core/tally.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace retrystorm {

// How long admitted attempts stay in the service, by any weight.
struct Sojourns {
  double total = 0;
  std::function<double(double)> within;      // weight of sojourns of at most so many seconds
  std::function<double(double)> sum_within;  // the seconds of those, by weight
};

// Of a law with within(seconds) and sum_within(seconds).
template <typename Law>
Sojourns sojourns_of(Law law, double total) {
  const auto shared = std::make_shared<const Law>(std::move(law));
  return {total, [shared](double s) { return shared->within(s); },
          [shared](double s) { return shared->sum_within(s); }};
}

// How long a client waits, and for how much of it the service cannot be blamed.
struct Patience {
  double timeout_s = 0;
  double round_trip_s = 0;
};

// Latencies of the attempts that succeed: those replied to within the timeout. Empty if none is.
// No maximum: a law has none, or one that nobody meets.
Quantiles success_latencies(const Sojourns& sojourns, const Patience& patience);

// Of all attempts that have ended: `refused` is the weight that found no place beside
// sojourns.total.
Quantiles outcome_latencies(const Sojourns& sojourns, double refused, const Patience& patience);

// Leaves no latency in the tally: nulls are right where no exact law is at hand.
void forget_latencies(Tally& tally);

}  // namespace retrystorm
