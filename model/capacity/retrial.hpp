// The classical retrial queue M/M/c/c: no waiting places; a blocked customer joins an orbit and
// tries again after an exponential time, for ever. (An ancestor of the storm, not the storm: here
// blocked customers come back, with us late ones do, whose work was done.)
#pragma once

#include <cstdint>

namespace retrystorm::capacity {

struct Retrial {
  double p_block = 0;     // a primary arrival finds all servers busy
  double mean_orbit = 0;  // customers in orbit
  double mean_busy = 0;   // servers; must be lambda/mu, kept as a check
};

// `arrivals_per_s` above 0 and below servers x `services_per_s`, `retries_per_s` of each customer
// in orbit. Level-dependent QBD, R_{m+1} = A0 (-S_{m+1})^{-1}, S_m = A1_m + R_{m+1} A2_{m+1}, from
// a truncation level down; the level is doubled until the answer stands still. Orbits grow only
// while all are busy, so each R has one row and costs one solve. Source: Falin and Templeton 1997;
// Bright and Taylor 1995 for the recursion.
Retrial retrial_queue(double arrivals_per_s, double services_per_s, std::int64_t servers,
                      double retries_per_s);

}  // namespace retrystorm::capacity
