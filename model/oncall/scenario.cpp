#include "model/oncall/scenario.hpp"

#include "core/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm::oncall {
namespace {

void require_after_opening(const Day& day, std::string_view name, double clock,
                           std::string_view where) {
  if (clock > day.opening_clock) return;
  throw InvalidInput(
      where, name,
      fmt::format("must be after the opening, {}: before it, nothing happens by itself",
                  format_clock(day.opening_clock)));
}

}  // namespace

std::optional<Scenario> parse_scenario(std::string_view text) {
  const auto found = std::find(scenario_names.begin(), scenario_names.end(), text);
  if (found == scenario_names.end()) return std::nullopt;
  return static_cast<Scenario>(found - scenario_names.begin());
}

Day day_of(Scenario scenario, const Constants& constants, std::string_view where) {
  const auto whole = [](double value) { return static_cast<int>(value); };
  const auto minutes = [&](double seconds) { return whole(seconds / seconds_per_minute); };
  Day day{scenario,
          constants,
          whole(constants.opening_clock),
          whole(constants.closing_clock),
          minutes(constants.boot_time),
          constants.ttl,
          constants.budget_left};
  switch (scenario) {
    case Scenario::steady:
      break;
    case Scenario::bad_deploy:
      day.budget_left = constants.bad_deploy_budget_left;
      require_after_opening(day, "bad_deploy_clock", constants.bad_deploy_clock, where);
      break;
    case Scenario::surge:
      day.boot_minutes = minutes(constants.surge_boot_time);
      require_after_opening(day, "surge_earliest", constants.surge_earliest, where);
      break;
    case Scenario::cold_cache:
      day.opening_clock = whole(constants.cold_cache_opening_clock);
      day.closing_clock = whole(constants.cold_cache_closing_clock);
      day.ttl = constants.cold_cache_ttl;
      require_after_opening(day, "cold_cache_clock", constants.cold_cache_clock, where);
      break;
  }
  return day;
}

Surge draw_surge(const Day& day, Mulberry32& random) {
  if (day.scenario != Scenario::surge) return {};
  const Constants& c = day.constants;
  Surge surge;
  surge.starts = uniform(random, c.surge_earliest, c.surge_latest) - day.opening_clock;
  surge.peak = c.surge_least + c.surge_step * poisson(random, c.surge_mean_steps);
  surge.hold = (c.surge_least_hold + exponential(random, c.surge_mean_hold)) / seconds_per_minute;
  surge.rise = c.surge_rise_time / seconds_per_minute;
  surge.fall = c.surge_fall_time / seconds_per_minute;
  return surge;
}

double Surge::factor(double minute) const {
  const double since = minute - starts;
  const double left = rise + hold + fall - since;
  const double height = std::min({since / rise, left / fall, 1.0});
  return height > 0 ? 1 + (peak - 1) * height : 1;
}

void let_happen(State& state, const Day& day) {
  const int clock = day.opening_clock + state.minute;
  const Constants& c = day.constants;
  if (day.scenario == Scenario::bad_deploy && clock == static_cast<int>(c.bad_deploy_clock)) {
    state.rollout_left = static_cast<int>(c.rollout_time / seconds_per_minute);
  }
  if (day.scenario == Scenario::cold_cache && clock == static_cast<int>(c.cold_cache_clock)) {
    state.warm = 0;
  }
}

}  // namespace retrystorm::oncall
