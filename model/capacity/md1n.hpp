// M/D/1/N, stationary and exact: one server, fixed work, Poisson arrivals, room for N in all.
#pragma once

#include "model/effort.hpp"

#include <cstdint>
#include <vector>

namespace retrystorm::capacity {

struct MD1N {
  std::vector<double> p;  // of n = 0 ... N in the system; also what an arrival finds
  double p_block = 0;
  double mean_in_system = 0;
  double mean_wait_accepted_s = 0;
};

// `arrivals_per_s`, `work_s` above 0, `room` N >= 1. O(N x reach of the Poisson law).
// Source: the chain at departures (Kendall 1953) solved by flows across cuts, which never
// subtracts; then p_n = pi_n/(pi_0 + a) for n < N, and p_N = expected refusals between departures /
// arrivals between departures, again without subtraction.
MD1N md1n(double arrivals_per_s, double work_s, std::int64_t room, Meter* meter = nullptr);

}  // namespace retrystorm::capacity
