// One minute of the on-call model's service as what it stands for: requests that queue for workers,
// look into a TTL cache and query a database with a limit of its own. A small event simulation that
// shares nothing with the formulas but the constants, so that they can be held against it.
#pragma once

#include "model/oncall/constants.hpp"
#include "model/oncall/relations.hpp"

#include <cstdint>

namespace retrystorm::oncall {

// The minute to be simulated. Before it the service runs under `before` for `lead_s`, from an empty
// queue and a cache in its steady state; then `during` holds (its `warm` share of the cache is
// kept, the rest is emptied at that instant).
struct BenchCase {
  Constants constants;
  Conditions before;
  Conditions during;
  double lead_s = 60;
  // False: a request whose client has left takes its work with it, as the formulas have it. True:
  // nobody tells the service, and the work is done for nobody.
  bool dead_work = false;
  // More would take the machine's memory and the user's patience.
  std::int64_t most_events = 30'000'000;
};

// What the minute's arrivals met. Times in seconds; NaN for the mean of nothing.
struct BenchMinute {
  double requests = 0;
  double hit_rate = 0;
  double database_utilization = 0;  // of its servers, over the minute
  double query_time = 0;            // mean, the warm-up job's not counted
  double service_time = 0;          // mean, of those served
  double utilization = 0;           // of the workers, over the minute
  double p_wait = 0;                // share that waited at all
  double mean_wait = 0;             // of all; at most the timeout, when the client left
  double timeouts = 0;              // share whose wait was beyond the timeout
  double p99 = 0;                   // of wait plus service, at most the timeout
};

// Poisson arrivals; work of the application exponential with the model's mean; objects asked for
// equally often; a miss makes its queries one after another and fills the cache when they are
// done. The database has limit x query_time servers (the simplest queue with both published
// numbers, at least one), exponential, first come first served.
// Throws std::length_error for a minute of more than `most_events`, or as many objects.
BenchMinute simulate_minute(const BenchCase& bench, std::uint64_t seed);

// The constants for a fleet of `instances` in place of the published ten: objects, database and
// base traffic in proportion, so that hit rate and utilizations stay what they were; at least one
// object.
Constants scaled_to(Constants constants, int instances);

}  // namespace retrystorm::oncall
