// The error budget: how many requests may be bad under a target, and how many were. Integers
// throughout. The specification is docs/calculators.md.
#pragma once

#include "core/share.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

inline constexpr std::int64_t default_budget_latency_ms = 300;

struct BudgetEvent {
  bool eligible = true;  // others do not count
  bool ok = true;
  std::int64_t latency_ms = 0;
};

struct BudgetInput {
  std::int64_t target_ppm = 0;  // the share that must be good, in millionths: 999000 = 99.9 %
  std::int64_t latency_ms = default_budget_latency_ms;  // good = ok and within this
  std::vector<BudgetEvent> events;
};

struct Budget {
  std::int64_t total = 0;
  std::int64_t good = 0;
  std::int64_t bad = 0;
  std::optional<double> ratio;   // good / total; nothing for no events
  std::int64_t allowed_bad = 0;  // rounded down
  std::int64_t remaining = 0;    // negative when overspent
};

// The budget of `total` eligible events, `good` of them good (0 <= good <= total <= 2^63 / 10^6).
Budget error_budget(std::int64_t total, std::int64_t good, std::int64_t target_ppm);
Budget error_budget(const BudgetInput& input);

// Reads and checks the input; throws InvalidInput naming `where` and the field.
BudgetInput budget_input(const boost::json::value& document, std::string_view where);

boost::json::object to_json(const Budget& budget);

// "99.9%" as 999000; nothing for what is no percentage from 0 to 100 with at most four decimals.
std::optional<std::int64_t> parse_percent(std::string_view text);

}  // namespace retrystorm
