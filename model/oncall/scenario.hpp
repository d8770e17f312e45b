// The scenarios: what is different that morning, and what happens when. `steady` is the plain day
// that the others differ from.
#pragma once

#include "model/oncall/constants.hpp"
#include "model/oncall/random.hpp"
#include "model/oncall/state.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace retrystorm::oncall {

// Constants are in seconds, the day passes in minutes.
inline constexpr double seconds_per_minute = 60;

enum class Scenario : std::uint8_t { steady, bad_deploy, surge, cold_cache };
inline constexpr std::array<std::string_view, 4> scenario_names = {"steady", "bad-deploy", "surge",
                                                                   "cold-cache"};
constexpr std::string_view name(Scenario s) {
  return scenario_names[static_cast<std::size_t>(s)];
}
std::optional<Scenario> parse_scenario(std::string_view text);

// A morning before it is played: the constants and what the scenario makes of them.
struct Day {
  Scenario scenario = Scenario::steady;
  Constants constants;
  int opening_clock = 0;  // minutes since midnight
  int closing_clock = 0;
  int boot_minutes = 0;
  double ttl = 0;          // seconds, at the opening
  double budget_left = 1;  // at the opening
};
// Throws InvalidInput naming `where` and the constant for an event that is not after the opening:
// it would never happen, and the morning would be a quiet one under the scenario's name.
Day day_of(Scenario scenario, const Constants& constants, std::string_view where = "constants");

// The morning's surge, drawn in the order start, steps of the peak, hold; none (a factor of 1, and
// nothing drawn) in the other scenarios.
Surge draw_surge(const Day& day, Mulberry32& random);

// What happens by itself at the beginning of the state's minute: the bad build goes out, the cache
// is emptied.
void let_happen(State& state, const Day& day);

}  // namespace retrystorm::oncall
