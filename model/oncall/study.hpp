// Many mornings: the same seeds played by each operator, and how what is left of the budget and
// what was spent are distributed. What decisions cost.
#pragma once

#include "core/tally.hpp"
#include "model/oncall/morning.hpp"
#include "model/oncall/print.hpp"
#include "model/oncall/scenario.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace retrystorm::oncall {

struct NamedOperator {
  std::string name;
  Operator who;
};

struct Played {
  std::string who;
  std::uint32_t seed = 0;
  Summary summary;
};

struct Study {
  Scenario scenario = Scenario::steady;
  std::uint32_t first_seed = 0;
  std::uint32_t seeds = 0;  // asked for
  std::vector<std::string> operators;
  std::vector<Played> mornings;  // by seed, then operator
  bool interrupted = false;      // fewer were played
};

// Plays seeds first_seed, first_seed + 1, ... with each operator; asks `stop` before each seed.
Study study(const Day& day, std::uint32_t first_seed, std::uint32_t seeds,
            const std::vector<NamedOperator>& operators, int closing_clock,
            const std::function<bool()>& stop);

// How one figure is distributed over the mornings of one operator.
struct Distribution {
  Spread spread;  // mean, sd, 2.5 and 97.5 percentiles
  double median = 0;
  double least = 0;
  double most = 0;
};
Distribution distribution(const Study& study, std::string_view who, double Summary::*figure);

// What an operator's decisions bought and cost: the mean of the differences to the first operator
// of the study, seed by seed.
struct Price {
  double budget = 0;  // share of the month's budget that is left beyond the other's
  double cost = 0;    // $
  double shed = 0;    // requests
};
Price price_of(const Study& study, std::string_view who);

std::string to_table(const Study& study);
std::string to_csv(const Study& study);  // a line a morning
std::string to_json_text(const Study& study);

}  // namespace retrystorm::oncall
