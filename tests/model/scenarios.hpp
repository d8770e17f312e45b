// Scenarios that several tests of the models ask about.
#pragma once

#include "core/scenario.hpp"

#include <chrono>

namespace retrystorm {

// The published service under such arrivals and work.
inline Scenario scenario_of(ArrivalProcess arrivals, WorkShape work, double rate) {
  Scenario s;
  s.client.arrivals = arrivals;
  s.service.work_shape = work;
  s.client.rate = rate;
  return s;
}

// One place beyond the useful queue, a ceiling of 228.6/s, and retries: at seven eighths of the
// ceiling a burst leaves a collapse behind, above it a plateau of some seconds comes before one.
inline Scenario service_with_two_states(double rate) {
  Scenario s;
  s.service.workers = 8;
  s.service.work = std::chrono::milliseconds(35);
  s.service.queue = 50;
  s.client.timeout = std::chrono::milliseconds(250);
  s.client.rate = rate;
  s.client.retries = 2;
  return s;
}

}  // namespace retrystorm
