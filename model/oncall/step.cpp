#include "model/oncall/step.hpp"

#include "model/capacity/burn_rate.hpp"
#include "model/oncall/autoscaler.hpp"
#include "model/oncall/relations.hpp"

#include <algorithm>
#include <cmath>

namespace retrystorm::oncall {
namespace {

int whole_minutes(double seconds) {
  return static_cast<int>(seconds / seconds_per_minute);
}

// What a minute brings to an end by itself.
void let_pass(State& s, const Day& day) {
  s.fleet = a_minute_later(std::move(s.fleet));
  if (s.rollback_left > 0 && --s.rollback_left == 0) {
    s.bad_share = 0;
    s.rollout_left = 0;
  }
  let_happen(s, day);
  if (s.rollout_left > 0) {
    --s.rollout_left;
    s.bad_share = 1 - s.rollout_left / (day.constants.rollout_time / seconds_per_minute);
  }
}

void act(State& s, const Constants& c, const Action& action) {
  switch (action.control) {
    case Control::floor:
      s.controls.floor = static_cast<int>(action.value);
      break;
    case Control::tracking:
      s.controls.tracking = action.value != 0;
      break;
    case Control::target:
      s.controls.target = action.value;
      break;
    case Control::ttl:
      s.controls.ttl = action.value;
      break;
    case Control::shed:
      s.controls.shed = action.value;
      break;
    case Control::recommendations:
      s.controls.recommendations = action.value != 0;
      break;
    case Control::warm_up:
      if (s.warm_up_left == 0) s.warm_up_left = whole_minutes(c.warm_up_time);
      break;
    case Control::rollback:
      s.rollback_left = whole_minutes(c.rollback_time);
      break;
  }
}

// N(60 lambda, sqrt(60 lambda)) x (1 + N(0, noise)), never below 0; in requests/s.
double draw_traffic(State& s, const Constants& c, double mean_per_s) {
  const double mean = seconds_per_minute * mean_per_s;
  const double arrivals = normal(s.random, mean, std::sqrt(mean));
  const double requests = arrivals * (1 + normal(s.random, 0, c.noise));
  return std::max(0.0, requests) / seconds_per_minute;
}

double mean_traffic(const State& s, const Day& day) {
  return daily_traffic(day.constants, day.opening_clock + s.minute) * s.surge.factor(s.minute);
}

Conditions conditions_of(const State& s, const Constants& c, double requests_per_s) {
  return {requests_per_s,
          c.low_priority * s.controls.shed,
          s.warm,
          s.controls.ttl,
          s.controls.recommendations ? 1.0 : 0.0,
          s.bad_share,
          s.warm_up_left > 0,
          s.fleet.serving};
}

// The cache at the end of the minute: refilled by misses, the slower the more the database is
// asked beyond the load at which its queries reach their limit; and by the warm-up job.
void warm_the_cache(State& s, const Constants& c, const Load& load) {
  const double saturation = 1 - c.query_time / c.query_time_limit;
  const double speed =
      load.database_utilization > saturation ? saturation / load.database_utilization : 1;
  s.warm = 1 - (1 - s.warm) * std::exp(-seconds_per_minute / c.refill_time * speed);
  if (s.warm_up_left > 0) {
    --s.warm_up_left;
    s.warm = std::min(1.0, s.warm + c.warm_up_share);
  }
}

double burn_of(const Constants& c, double error_rate) {
  return capacity::burn_of_errors(error_rate, c.slo);
}

double fleet_cost_per_hour(const State& s, const Constants& c) {
  return s.fleet.all() * c.instance_cost * (s.rollback_left > 0 ? 2 : 1);
}

// What the dashboard shows of the state's minute under this load.
Minute shown(const State& s, const Day& day, const Conditions& conditions, const Load& load) {
  const Constants& c = day.constants;
  Minute m;
  m.minute = s.minute;
  m.clock = day.opening_clock + s.minute;
  m.requests_per_s = conditions.requests_per_s;
  m.instances_serving = s.fleet.serving;
  m.instances_booting = static_cast<int>(s.fleet.booting.size());
  m.hit_rate = load.hit_rate;
  m.database_utilization = load.database_utilization;
  m.shed_share = conditions.shed_share;
  m.fleet_cost_per_hour = fleet_cost_per_hour(s, c);
  m.cost = s.cost;
  m.cached_age_s = mean_cached_age(s.controls.ttl);
  m.bad_share = s.bad_share;
  m.recommendations_share = conditions.recommendations;
  m.error_rate = load.error_rate;
  m.p99_ms = 1000 * load.p99;
  m.burn_1h = burn_of(c, s.burn.mean());
  m.burn_5min = burn_of(c, s.burn.mean(5));
  m.budget_left = s.budget_left;
  m.utilization = load.utilization;
  m.service_ms = 1000 * load.service_time;
  m.alert = m.burn_1h >= c.alert_burn;
  m.rolling_back = s.rollback_left > 0;
  m.warming_up = conditions.warm_up;
  return m;
}

}  // namespace

Stepped opening(const Day& day, std::uint32_t seed) {
  const Constants& c = day.constants;
  State s;
  s.random = Mulberry32(seed);
  s.surge = draw_surge(day, s.random);
  s.controls.floor = static_cast<int>(c.floor);
  s.controls.target = c.target_utilization;
  s.controls.ttl = day.ttl;
  s.fleet.serving = static_cast<int>(c.instances);
  s.budget_left = day.budget_left;
  const Conditions conditions = conditions_of(s, c, mean_traffic(s, day));
  const Load load = load_of(c, conditions);
  s.burn = BurnWindow(load.error_rate);
  s.utilization = load.utilization;
  return {s, shown(s, day, conditions, load)};
}

Stepped step(State s, const Day& day, std::span<const Action> actions) {
  const Constants& c = day.constants;
  ++s.minute;
  let_pass(s, day);
  for (const Action& action : actions) act(s, c, action);
  s.fleet = scaled(std::move(s.fleet), s.utilization, s.controls, c, day.boot_minutes);

  const Conditions conditions = conditions_of(s, c, draw_traffic(s, c, mean_traffic(s, day)));
  const Load load = load_of(c, conditions);
  s.burn.push(load.error_rate);
  s.budget_left -= capacity::budget_spent(burn_of(c, load.error_rate), 1, c.month / 3600);
  s.cost += fleet_cost_per_hour(s, c) / 60;
  s.utilization = load.utilization;
  const Minute minute = shown(s, day, conditions, load);
  warm_the_cache(s, c, load);
  return {std::move(s), minute};
}

}  // namespace retrystorm::oncall
