// The plain FIFO case by a recursion that shares nothing with the machines: no event list, no
// Station, no Client. With a ring of the last departures, an arrival is refused if the one c + K
// before it has not left yet, and starts when the one c before it has.
#pragma once

#include "core/units.hpp"

#include <cstdint>
#include <vector>

namespace retrystorm {

struct FifoRun {
  std::uint64_t admitted = 0;
  std::uint64_t refused = 0;
  std::uint64_t in_time = 0;  // of the admitted: finished within the timeout
  std::uint64_t late = 0;
};

// Attempts without retries and with round trip 0: `arrivals` not decreasing, fixed `work`.
inline FifoRun fifo_recursion(const std::vector<Instant>& arrivals, std::size_t workers,
                              std::size_t places, Duration work, Duration timeout) {
  FifoRun run;
  std::vector<Instant> departures;
  for (const Instant at : arrivals) {
    const std::size_t n = departures.size();
    const std::size_t capacity = workers + places;
    if (n >= capacity && departures[n - capacity] > at) {
      ++run.refused;
      continue;
    }
    const Instant start = n >= workers ? std::max(at, departures[n - workers]) : at;
    departures.push_back(start + work);
    ++run.admitted;
    ++(start + work - at <= timeout ? run.in_time : run.late);
  }
  return run;
}

}  // namespace retrystorm
