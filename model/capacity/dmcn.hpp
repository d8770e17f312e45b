// D/M/c/N, stationary and exact: even arrivals, exponential work, room for N in all.
#pragma once

#include "model/effort.hpp"

#include <cstdint>
#include <vector>

namespace retrystorm::capacity {

struct DMcN {
  std::vector<double> found;  // by an arrival: n = 0 ... N; not the time average
  double p_block = 0;
};

// `arrivals_per_s`, `services_per_s` (of one server) above 0, `room` N >= `servers` >= 1. The
// chain seen by arrivals: up by one, then a pure death process for one interval (Takacs 1962,
// GI/M/c); its transition law by uniformization. Refuses sizes that would take minutes (servers in
// the thousands).
DMcN dmcn(double arrivals_per_s, double services_per_s, std::int64_t servers, std::int64_t room,
          Meter* meter = nullptr);

}  // namespace retrystorm::capacity
