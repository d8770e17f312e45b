#include "tests/campaign/budget.hpp"

#include "model/fluid/fluid_rounds.hpp"
#include "model/sizes.hpp"

#include <algorithm>
#include <cmath>

namespace retrystorm::campaign {
namespace {

// Until the last thing that can happen in the run.
double length_s(const Scenario& s) {
  return seconds(s.client.duration) + std::min(seconds(s.drain_limit), drain_needed_s(s));
}

double attempts_of(const Scenario& s) {
  return s.client.rate * seconds(s.client.duration) * static_cast<double>(s.client.retries + 1);
}

double room_of(const Scenario& s) {
  return static_cast<double>(s.service.workers) + static_cast<double>(queue_places(s));
}

}  // namespace

bool affordable(Engine engine, const Scenario& s) {
  const double work = seconds(s.service.work);
  const double room = room_of(s);
  switch (engine) {
    case Engine::testbed:
      return false;
    case Engine::simulate:
      return attempts_of(s) <= 4 * usual_attempts;
    case Engine::fluid:
      // Rounds of work, or steps of a 64th of one.
      return (answered_by_rounds(s) ? 0.1 : 64) * length_s(s) / work < 1e4;
    case Engine::stationary: {
      // The band of the chain that is solved (model/sizes.cpp), again and again where attempts are
      // retried.
      const double busy = std::max(s.client.rate * work * static_cast<double>(s.client.retries + 1),
                                   static_cast<double>(s.service.workers));
      const double band = 20 * std::sqrt(busy) + 40;
      return s.client.retries <= 20 && (room + busy) * band * band < 4e6;
    }
    case Engine::markov: {
      const double events = length_s(s) * (s.client.rate + ceiling(s));
      return events * room * static_cast<double>(s.client.retries + 1) < 1e6;
    }
  }
  return false;
}

}  // namespace retrystorm::campaign
