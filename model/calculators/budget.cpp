#include "model/calculators/budget.hpp"

#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "model/calculators/decimal.hpp"

#include <boost/json.hpp>

namespace retrystorm {
namespace json = boost::json;

Budget error_budget(std::int64_t total, std::int64_t good, std::int64_t target_ppm) {
  Budget budget;
  budget.total = total;
  budget.good = good;
  budget.bad = total - good;
  if (total > 0) budget.ratio = static_cast<double>(good) / static_cast<double>(total);
  budget.allowed_bad = total * (ppm - target_ppm) / ppm;
  budget.remaining = budget.allowed_bad - budget.bad;
  return budget;
}

Budget error_budget(const BudgetInput& input) {
  std::int64_t total = 0;
  std::int64_t good = 0;
  for (const BudgetEvent& event : input.events) {
    if (!event.eligible) continue;
    ++total;
    if (event.ok && event.latency_ms <= input.latency_ms) ++good;
  }
  return error_budget(total, good, input.target_ppm);
}

BudgetInput budget_input(const json::value& document, std::string_view where) {
  const JsonObject top(document, where);
  // The one optional field: misspelt and ignored it would change the answer.
  top.only({"target_ppm", "latency_ms", "events"});
  BudgetInput input;
  input.target_ppm = top.integer("target_ppm", 0, ppm);
  if (top.has("latency_ms")) input.latency_ms = top.integer("latency_ms", 0);
  top.each("events", [&](const JsonObject& event) {
    input.events.push_back(
        {event.boolean("eligible"), event.boolean("ok"), event.integer("latency_ms", 0)});
  });
  return input;
}

json::object to_json(const Budget& budget) {
  return {{"total", budget.total},
          {"good", budget.good},
          {"bad", budget.bad},
          {"ratio", json_number(budget.ratio)},
          {"allowed_bad", budget.allowed_bad},
          {"remaining", budget.remaining}};
}

std::optional<std::int64_t> parse_percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  const auto value = parse_decimal(text, 4);
  return value && *value <= ppm ? value : std::nullopt;
}

}  // namespace retrystorm
