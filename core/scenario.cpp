#include "core/scenario.hpp"

#include <algorithm>

namespace retrystorm {

Instant settled_from(const Scenario& scenario) {
  return instant_at(scenario.settle.value_or(scenario.client.duration / 3));
}

std::int64_t useful_queue(Duration timeout, Duration round_trip, Duration work,
                          std::int64_t workers) {
  const Duration spare = timeout - round_trip - work;
  if (spare <= Duration::zero()) return 0;
  // 128 bits: an hour in ns times a million workers does not fit 64.
  __extension__ using Wide = __int128;
  const Wide places = static_cast<Wide>(spare.count()) * workers / work.count();
  return static_cast<std::int64_t>(std::min<Wide>(places, INT64_MAX));
}

std::int64_t useful_queue(const Scenario& s) {
  return useful_queue(s.client.timeout, s.network.round_trip, s.service.work, s.service.workers);
}

std::int64_t queue_places(const Scenario& s) {
  if (s.service.queue) return *s.service.queue;
  return useful_queue(s.client.timeout * 9 / 10, s.network.round_trip, s.service.work,
                      s.service.workers);
}

double ceiling(const Scenario& s) {
  return static_cast<double>(s.service.workers) / seconds(s.service.work);
}

}  // namespace retrystorm
