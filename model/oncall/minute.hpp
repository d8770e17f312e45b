// A minute as a dashboard shows it: a step's result, and all that an operator sees.
#pragma once

namespace retrystorm::oncall {

struct Minute {
  int minute = 0;  // since the opening; 0 is the opening state
  int clock = 0;   // minutes since midnight
  double requests_per_s = 0;
  int instances_serving = 0;
  int instances_booting = 0;
  double hit_rate = 0;
  double database_utilization = 0;
  double shed_share = 0;  // of all traffic
  double fleet_cost_per_hour = 0;
  double cost = 0;  // $ since the opening, this minute included
  double cached_age_s = 0;
  double bad_share = 0;
  double recommendations_share = 0;
  double error_rate = 0;  // of the admitted requests
  double p99_ms = 0;
  double burn_1h = 0;
  double budget_left = 0;
  // Beyond the published list.
  double utilization = 0;
  double service_ms = 0;
  double burn_5min = 0;
  bool alert = false;
  bool rolling_back = false;
  bool warming_up = false;

  friend bool operator==(const Minute&, const Minute&) = default;
};

}  // namespace retrystorm::oncall
