// A cache entry that lives for a fixed time: hit ratio and what is left for the origin. One object;
// `requests_per_s` are for that object.
#pragma once

#include "model/capacity/domain.hpp"

#include <cmath>

namespace retrystorm::capacity {

// Poisson requests, the entry expires T after it was fetched: each miss is followed by rT hits on
// average, h = rT/(1 + rT). Source: Jung, Berger and Balakrishnan 2003 (renewal argument).
inline double ttl_hit_ratio(double requests_per_s, double ttl_s) {
  require_at_least("ttl_hit_ratio", "requests_per_s", requests_per_s, 0);
  require_at_least("ttl_hit_ratio", "ttl_s", ttl_s, 0);
  const double during = requests_per_s * ttl_s;
  return during / (1 + during);
}

// Misses per second for that object: r(1 - h) = 1/(T + 1/r).
inline double ttl_origin_per_s(double requests_per_s, double ttl_s) {
  return requests_per_s * (1 - ttl_hit_ratio(requests_per_s, ttl_s));
}

// The entry's time starts again at each hit: a hit is a gap below T, h = 1 - e^{-rT}.
inline double ttl_hit_ratio_refreshed_on_hit(double requests_per_s, double ttl_s) {
  require_at_least("ttl_hit_ratio_refreshed_on_hit", "requests_per_s", requests_per_s, 0);
  require_at_least("ttl_hit_ratio_refreshed_on_hit", "ttl_s", ttl_s, 0);
  return -std::expm1(-requests_per_s * ttl_s);
}

// Strictly periodic requests, no refresh: floor(rT) hits follow each miss.
inline double ttl_hit_ratio_periodic(double requests_per_s, double ttl_s) {
  require_at_least("ttl_hit_ratio_periodic", "requests_per_s", requests_per_s, 0);
  require_at_least("ttl_hit_ratio_periodic", "ttl_s", ttl_s, 0);
  const double hits = std::floor(requests_per_s * ttl_s);
  return hits / (1 + hits);
}

}  // namespace retrystorm::capacity
