// What a minute's traffic makes of the service: the published relations, on the capacity
// arithmetic of model/capacity. Pure: nothing is remembered and nothing drawn here.
#pragma once

#include "model/oncall/constants.hpp"

namespace retrystorm::oncall {

// What the service is asked to do, and with what.
struct Conditions {
  double requests_per_s = 0;   // offered, before anything is shed
  double shed_share = 0;       // of all traffic
  double warm = 1;             // share of the cache that is filled
  double ttl = 60;             // seconds
  double recommendations = 1;  // share of the traffic with the heavy feature
  double bad_share = 0;        // share of the traffic on the bad build
  bool warm_up = false;        // the warm-up job runs
  int serving = 10;            // instances
};

// What comes of it. Times in seconds.
struct Load {
  double served_per_s = 0;  // admitted: requests_per_s less what is shed
  double hit_rate = 0;
  double database_per_s = 0;        // queries, the warm-up job's among them
  double database_utilization = 0;  // of its limit; above 1 it is asked for more than it can do
  double query_time = 0;
  double service_time = 0;  // S
  double busy_workers = 0;  // L = lambda S: what would be busy with workers enough
  double utilization = 0;   // L / N, capped at 1
  double timeouts = 0;      // share of the admitted whose wait is beyond the timeout
  double error_rate = 0;    // share of the admitted: timeouts and the bad build's errors
  double p99 = 0;           // an approximation
};

// The relations of docs/oncall.md. Two are ours: the errors of the bad build are added to the
// timeouts (together at most 1), and the p99 is capped at the timeout, beyond which no client
// waits.
Load load_of(const Constants& constants, const Conditions& conditions);

// lambda(t) without surge: `clock` in minutes since midnight.
double daily_traffic(const Constants& constants, double clock);

// T/2.
double mean_cached_age(double ttl);

}  // namespace retrystorm::oncall
