// Burn of an error budget: how fast failures use up what the target leaves. Integer counts of good
// and bad requests are in model/calculators/budget.hpp; this is the arithmetic of alerts and
// dashboards.
// Source: Google SRE Workbook, chapter 5 (14.4, 6 and 1 for 2 %, 5 % and 10 % of 30 days).
#pragma once

#include "model/capacity/domain.hpp"

namespace retrystorm::capacity {

inline constexpr double budget_period_h = 720;  // 30 days

// The burn that spends `budget_share` of the period's budget within `window_h`.
inline double burn_rate(double budget_share, double window_h, double period_h = budget_period_h) {
  require_at_least("burn_rate", "budget_share", budget_share, 0);
  require_positive("burn_rate", "window_h", window_h);
  require_positive("burn_rate", "period_h", period_h);
  return budget_share * period_h / window_h;
}

// Burn of an error ratio (0 to 1) under a target such as 0.999: 1 spends exactly the budget.
inline double burn_of_errors(double error_ratio, double target) {
  require(error_ratio >= 0 && error_ratio <= 1, "burn_of_errors", "error_ratio", error_ratio,
          "be in [0, 1]");
  require(target >= 0 && target < 1, "burn_of_errors", "target", target, "be in [0, 1)");
  return error_ratio / (1 - target);
}

// The error ratio that burns so.
inline double errors_of_burn(double burn, double target) {
  require_at_least("errors_of_burn", "burn", burn, 0);
  require(target >= 0 && target < 1, "errors_of_burn", "target", target, "be in [0, 1)");
  return burn * (1 - target);
}

// Hours until a full budget is spent at this burn.
inline double hours_to_exhaust(double burn, double period_h = budget_period_h) {
  require_positive("hours_to_exhaust", "burn", burn);
  require_positive("hours_to_exhaust", "period_h", period_h);
  return period_h / burn;
}

// The share of the budget spent in `minutes` at this burn: burn/43,200 a minute for 30 days.
inline double budget_spent(double burn, double minutes, double period_h = budget_period_h) {
  require_at_least("budget_spent", "burn", burn, 0);
  require_at_least("budget_spent", "minutes", minutes, 0);
  require_positive("budget_spent", "period_h", period_h);
  return burn * minutes / (60 * period_h);
}

}  // namespace retrystorm::capacity
