// A whole morning: a day, a seed and an operator, played minute by minute; and what came of it.
#pragma once

#include "model/oncall/minute.hpp"
#include "model/oncall/operators.hpp"
#include "model/oncall/scenario.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace retrystorm::oncall {

// It stands on every result.
inline constexpr std::string_view disclaimer =
    "teaching model with assumptions of its own: not for operational decisions";

struct Summary {
  double budget_left = 0;   // share of the month's; negative when overspent
  double budget_spent = 0;  // since the opening
  double cost = 0;          // $
  double requests = 0;      // offered
  double failed = 0;        // of the admitted
  double shed = 0;
  double worst_p99_ms = 0;
  double peak_database_utilization = 0;
  int peak_instances = 0;               // serving and booting
  std::optional<int> alert_clock;       // when the burn alert first fired
  std::size_t actions = 0;              // moves of the operator
  std::size_t actions_not_reached = 0;  // of a script that goes on after the end
};

struct Morning {
  std::vector<Minute> minutes;  // the opening state first
  Summary summary;
};

// Plays until `closing_clock` (minutes since midnight, after the opening).
Morning play(const Day& day, std::uint32_t seed, Operator who, int closing_clock);

}  // namespace retrystorm::oncall
