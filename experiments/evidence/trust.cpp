#include "experiments/evidence/trust.hpp"

#include "core/figures.hpp"
#include "core/json_reader.hpp"
#include "core/policy/arrivals.hpp"
#include "experiments/evidence/quantiles.hpp"
#include "experiments/evidence/try_query.hpp"
#include "experiments/evidence/unsent_sql.hpp"

#include <algorithm>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

Count per_second(const std::vector<std::int64_t>& sorted) {
  if (sorted.size() < 2 || sorted.back() == sorted.front()) return std::nullopt;
  return static_cast<double>(sorted.size() - 1) * 1e9 /
         static_cast<double>(sorted.back() - sorted.front());
}

// Standard deviation over mean of the gaps between sorted instants.
Count gap_cv(const std::vector<std::int64_t>& sorted) {
  if (sorted.size() < 3 || sorted.back() == sorted.front()) return std::nullopt;
  const auto gaps = static_cast<double>(sorted.size() - 1);
  const double mean = static_cast<double>(sorted.back() - sorted.front()) / gaps;
  double squares = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double off = static_cast<double>(sorted[i] - sorted[i - 1]) - mean;
    squares += off * off;
  }
  return std::sqrt(squares / gaps) / mean;
}

void send_lag(TrustFigures& figures, Database& database, const TryKey& key,
              const TrustLimits& limits) {
  auto lags = integers(database, key,
                       "SELECT t.sent - r.scheduled FROM requests r JOIN attempts t USING (arm, "
                       "try_number, request) WHERE r.arm = ? AND r.try_number = ? AND "
                       "t.attempt = 0");
  if (lags.empty()) return;
  const Quantiles q = exact_quantiles(lags);
  figures.send_lag_p50_ms = q.p50;
  figures.send_lag_p99_ms = q.p99;
  figures.send_lag_max_ms = q.max;
  const auto late = std::count_if(lags.begin(), lags.end(), [&](std::int64_t lag) {
    return static_cast<double>(lag) / 1e6 > limits.send_lag_p99_ms;
  });
  figures.send_lag_over_limit = static_cast<double>(late) / static_cast<double>(lags.size());
}

// The scenario's own schedule, drawn again: what the generator offered must be exactly that.
Count schedule_errors(Database& database, const TryKey& key, const Scenario& scenario) {
  Statement rows(database,
                 "SELECT request, scheduled FROM requests WHERE arm = ? AND try_number = ? "
                 "ORDER BY request");
  rows.bind(key.arm, key.try_number);
  const Column number = rows["request"];
  const Column scheduled = rows["scheduled"];
  Arrivals planned(scenario);
  std::uint64_t errors = 0;
  while (rows.step()) {
    const auto request = static_cast<std::uint64_t>(number.integer());
    for (; planned.next() != never && planned.index() < request; planned.pop()) ++errors;
    const bool right = planned.next() != never && planned.index() == request &&
                       nanoseconds_of(planned.next()) == scheduled.integer();
    if (!right) ++errors;
    if (planned.next() != never && planned.index() == request) planned.pop();
  }
  for (; planned.next() != never; planned.pop()) ++errors;
  return static_cast<double>(errors);
}

void work(TrustFigures& figures, Database& database, const TryKey& key, const Scenario& scenario) {
  Statement row(database,
                "SELECT avg(finished - picked) AS effective, avg(due - started) AS drawn, "
                "max(picked - started) AS lateness, total(picked - started >= ?3) AS at_bound "
                "FROM arrivals "
                "WHERE arm = ?1 AND try_number = ?2 AND disposition = 'completed'");
  row.bind(key.arm, key.try_number, scenario.service.work.count()).step();
  const auto ms = [&](std::string_view column) -> Count {
    const auto ns = row[column].number();
    return ns ? Count(*ns / 1e6) : std::nullopt;
  };
  figures.effective_work_ms = ms("effective");
  figures.work_drawn_ms = scenario.service.work_shape == WorkShape::fixed
                              ? milliseconds(scenario.service.work)
                              : ms("drawn");
  figures.carried_lateness_max_ms = ms("lateness");
  figures.carried_lateness_at_bound = row["at_bound"].number();
}

std::string percent(double share) {
  return fmt::format("{:.3g} %", 100 * share);
}

}  // namespace

TrustFigures figures_from_ledger(Database& database, const TryKey& key, const Scenario& scenario,
                                 const TrustLimits& limits) {
  TrustFigures figures;
  send_lag(figures, database, key, limits);
  figures.schedule_errors = schedule_errors(database, key, scenario);
  work(figures, database, key, scenario);
  // What a policy kept back was not to arrive, and the gaps that it leaves are no fault of pacing.
  const auto scheduled = [&](bool kept_back) {
    return integers(database, key,
                    fmt::format("SELECT scheduled FROM requests WHERE arm = ? AND try_number = ? "
                                "AND {} = {:d} ORDER BY scheduled",
                                unsent_by_policy_sql(), kept_back));
  };
  figures.scheduled_per_s = per_second(scheduled(false));
  const auto arrived =
      integers(database, key,
               "SELECT arrived FROM arrivals WHERE arm = ? AND try_number = ? AND attempt = 0 "
               "ORDER BY arrived");
  figures.arrived_per_s = per_second(arrived);
  if (scheduled(true).empty()) figures.arrival_gap_cv = gap_cv(arrived);
  auto trips = integers(database, key,
                        "SELECT (arrived - sent) + (ended - replied) FROM both_sides WHERE arm = ? "
                        "AND try_number = ? AND outcome IN ('succeeded', 'rejected') "
                        "AND replied IS NOT NULL");
  figures.round_trip_ms = exact_quantiles(std::move(trips)).p50;
  return figures;
}

std::vector<std::string> broken_limits(const TrustFigures& t, const TrustLimits& limits,
                                       const Scenario& scenario) {
  std::vector<std::string> reasons;
  const auto above = [&](const Count& figure, double limit, std::string_view what,
                         std::string_view unit) {
    if (figure && *figure > limit) {
      reasons.push_back(
          fmt::format("{} {:.3g}{} is above {:.3g}{}", what, *figure, unit, limit, unit));
    }
  };
  above(t.send_lag_p99_ms, limits.send_lag_p99_ms, "send lag p99", " ms");
  above(t.send_lag_max_ms, limits.send_lag_max_ms, "send lag max", " ms");
  if (t.schedule_errors.value_or(0) > 0) {
    reasons.push_back(fmt::format("{} requests were not offered as scheduled", *t.schedule_errors));
  }
  if (t.effective_work_ms && t.work_drawn_ms) {
    const double error = std::abs(*t.effective_work_ms - *t.work_drawn_ms) / *t.work_drawn_ms;
    if (error > limits.work_error) {
      reasons.push_back(fmt::format("effective work {:.4g} ms is {} off the {:.4g} ms drawn",
                                    *t.effective_work_ms, percent(error), *t.work_drawn_ms));
    }
  }
  if (t.carried_lateness_at_bound.value_or(0) > 0) {
    reasons.push_back(fmt::format(
        "the service's lateness reached one work time at {} starts, so its ceiling is not exact",
        *t.carried_lateness_at_bound));
  }
  if (t.arrived_per_s && t.scheduled_per_s) {
    const double error = std::abs(*t.arrived_per_s - *t.scheduled_per_s) / *t.scheduled_per_s;
    if (error > limits.rate_error) {
      reasons.push_back(fmt::format("first attempts arrived at {:.5g}/s, {} off their schedule",
                                    *t.arrived_per_s, percent(error)));
    }
  }
  if (scenario.client.arrivals == ArrivalProcess::even) {
    above(t.arrival_gap_cv, limits.arrival_gap_cv,
          "even pacing reached the service with a gap coefficient of variation:", "");
  }
  above(t.service_cpu_share, limits.cpu_share, "the service's share of a core", "");
  above(t.generator_cpu_share, limits.cpu_share, "the generator's share of a core", "");
  if (t.ledger_lost.value_or(0) > 0) {
    reasons.push_back(fmt::format("{} ledger records could not be written", *t.ledger_lost));
  }
  return reasons;
}

std::vector<std::string> disagreements(std::string_view process, const JsonObject& own,
                                       const Counts& ledger,
                                       std::span<const std::string_view> names) {
  std::vector<std::string> reasons;
  const auto unfinished = own.object_if("unfinished");
  visit_counts(ledger, [&](std::string_view name, const Count& count) {
    if (std::find(names.begin(), names.end(), name) == names.end()) return;
    constexpr std::string_view prefix = "unfinished.";
    std::optional<double> theirs;
    if (!name.starts_with(prefix)) {
      theirs = own.number(name);
    } else if (unfinished) {
      theirs = unfinished->number(name.substr(prefix.size()));
    }
    if (theirs && count && *theirs != *count) {
      reasons.push_back(
          fmt::format("{}: the {} counted {}, the ledger {}", name, process, *theirs, *count));
    }
  });
  return reasons;
}

}  // namespace retrystorm
