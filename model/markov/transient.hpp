// M/M/c/N in time: the law of the number in the system and its integral, from any start, at rates
// that may change from one stretch to the next.
//
// Uniformization (Jensen 1953): with q = lambda + c mu, p(t) = sum_k Poisson(k; qt) v_k, v_k the
// law after k events, and the integral of p is sum_k P(Poisson(qt) > k) v_k / q, in the same loop.
// Long times go in blocks of some hundred events. Only sums of positive terms; the sum is carried
// on until the smallest probability has all its digits.
#pragma once

#include "model/effort.hpp"

#include <cstdint>
#include <vector>

namespace retrystorm {

class QueueInTime {
 public:
  // One server ends work at `services_per_s`; `room` in all. Starts with `start` in the system.
  QueueInTime(double services_per_s, std::int64_t servers, std::int64_t room, std::int64_t start);

  // Lets `seconds` pass with arrivals at `arrivals_per_s` (at least 0). Throws std::domain_error
  // for negative values.
  void advance(double seconds, double arrivals_per_s, Meter* meter = nullptr);

  // The law now, and its integral since the start (seconds spent in each state).
  const std::vector<double>& law() const { return p_; }
  const std::vector<double>& integral() const { return integral_; }

  // An arrival now: admitted if there is a place.
  void arrive();

  double mean_in_system() const;
  // Completions so far: mu times the integral of the busy servers.
  double completions() const;
  // The integral of P(full): refusals are the arrival rate times it.
  double seconds_full() const { return integral_.back(); }

 private:
  // Returns the largest relative change of a probability.
  double block(double seconds, double arrivals_per_s, Meter* meter);

  double services_per_s_;
  double servers_;
  std::vector<double> p_;
  std::vector<double> integral_;
  // Scratch of block().
  std::vector<double> step_, next_, sum_, area_, stay_, fall_;
};

}  // namespace retrystorm
