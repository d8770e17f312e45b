#include "model/sizes.hpp"

#include <algorithm>
#include <cmath>

namespace retrystorm {

bool settled_is_solvable(const Scenario& s) {
  const bool even = s.client.arrivals == ArrivalProcess::even;
  const bool fixed = s.service.work_shape != WorkShape::exponential;
  if (even == fixed) return true;
  const auto c = static_cast<double>(s.service.workers);
  const auto room = static_cast<double>(queue_places(s)) + c;
  // Arrivals in a work time, or departures in an interval, spread over some ten deviations: the
  // band of the chain that is solved.
  const double attempts = s.client.rate * static_cast<double>(s.client.retries + 1);
  const double mean = fixed ? std::max(attempts * seconds(s.service.work), c)
                            : c / (seconds(s.service.work) * s.client.rate);
  const double band = 20 * std::sqrt(mean) + 40;
  const double rows = room + (fixed ? std::min(c, mean) : 0);
  return rows * band * band < 4e9 && (even || mean < 5000);
}

double longest_sojourn_s(const Scenario& s) {
  const auto room = static_cast<double>(queue_places(s) + s.service.workers);
  const double emptied = (room + 6 * std::sqrt(room) + 40) / ceiling(s);
  return emptied + 25 * seconds(s.service.work);
}

double drain_needed_s(const Scenario& s) {
  const double round_trip = seconds(s.network.round_trip);
  const double answered = longest_sojourn_s(s) + round_trip;
  const double attempts =
      static_cast<double>(s.client.retries + 1) *
      (std::min(seconds(s.client.timeout), answered) + seconds(s.client.backoff) + round_trip);
  return attempts + longest_sojourn_s(s);
}

}  // namespace retrystorm
