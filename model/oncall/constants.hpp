// Every number of the on-call model, with its published value as the default. Each is an
// assumption: of the publication, or ours where it leaves a value open; the registry says which.
// How they act on each other stands in relations.hpp, scenario.hpp and autoscaler.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace retrystorm::oncall {

// Durations in seconds; clock times in minutes since midnight.
struct Constants {
  // traffic
  double base = 1000;  // requests/s
  double daily_swing = 0.25;
  double noise = 0.02;
  double low_priority = 0.30;
  // service
  double workers_per_instance = 16;
  double app_time = 0.050;
  double heavy_app_time = 0.020;
  double timeout = 2;
  double bad_errors = 0.05;
  double bad_cpu = 1.25;
  // cache
  double hot_objects = 20'000;
  double refill_time = 30 * 60;
  double warm_up_share = 0.12;
  double warm_up_time = 6 * 60;
  double warm_up_queries = 600;  // queries/s
  // database
  double queries = 2;
  double heavy_queries = 1;
  double database_limit = 4000;  // queries/s
  double query_time = 0.005;
  double query_time_limit = 0.250;
  // fleet
  double instance_cost = 0.40;  // $ per hour
  double max_instances = 40;
  double boot_time = 3 * 60;
  double rollback_time = 5 * 60;
  double scale_in_share = 0.20;
  double quiet_time = 10 * 60;
  // target
  double slo = 0.999;
  double month = 30 * 24 * 3600;
  double alert_burn = 14.4;
  // opening
  double opening_clock = 8 * 60;
  double closing_clock = 12 * 60;
  double instances = 10;
  double floor = 10;
  double target_utilization = 0.60;
  double ttl = 60;
  double budget_left = 1;
  // operators
  double reaction_time = 3 * 60;
  // bad-deploy
  double bad_deploy_clock = 9 * 60 + 10;
  double bad_deploy_budget_left = 0.20;
  double rollout_time = 5 * 60;
  // surge
  double surge_boot_time = 8 * 60;
  double surge_earliest = 8 * 60 + 30;
  double surge_latest = 11 * 60;
  double surge_least = 1.5;
  double surge_step = 0.25;
  double surge_mean_steps = 4;
  double surge_rise_time = 3 * 60;
  double surge_least_hold = 10 * 60;
  double surge_mean_hold = 20 * 60;
  double surge_fall_time = 10 * 60;
  // cold-cache
  double cold_cache_opening_clock = 11 * 60 + 30;
  double cold_cache_clock = 12 * 60;
  double cold_cache_closing_clock = 14 * 60;
  double cold_cache_ttl = 90;
};

// How a constant is written in TOML.
enum class Kind : std::uint8_t {
  number,    // 1.25
  whole,     // 16
  duration,  // "50ms"
  minutes,   // "5min": a duration of whole minutes
  clock,     // "09:10"
};

struct Constant {
  std::string_view group;
  std::string_view name;
  double Constants::*value;
  Kind kind;
  double low;
  double high;
  bool published;  // false: ours
  std::string_view help;
};

// All of them, in the order of the reference page.
std::span<const Constant> constants();

// The constants of a TOML text that has some of them, over the defaults. Throws InvalidInput with
// file and line for an unknown name or an unfit value.
Constants constants_from_toml(std::string_view text, std::string_view file);

// All of them as TOML that reads back equal, each with its help and whose assumption it is.
std::string constants_to_toml(const Constants& values);

// One of them as TOML writes it: 0.25, "50ms".
std::string value_text(const Constant& constant, const Constants& values);

// "09:10" as minutes since midnight, -1 for another text; and back. "24:00" ends a day.
int parse_clock(std::string_view text);
std::string format_clock(int minutes);

}  // namespace retrystorm::oncall
