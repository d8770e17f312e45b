#include "experiments/evidence/trust.hpp"

#include "core/figures.hpp"
#include "core/json_reader.hpp"
#include "core/load_offered.hpp"
#include "core/number_text.hpp"
#include "core/policy/arrivals.hpp"
#include "core/share.hpp"
#include "experiments/evidence/quantiles.hpp"
#include "experiments/evidence/try_query.hpp"
#include "experiments/evidence/unsent_sql.hpp"

#include <algorithm>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {
namespace {

Count per_second(const std::vector<std::int64_t>& sorted) {
  if (sorted.size() < 2 || sorted.back() == sorted.front()) return std::nullopt;
  return static_cast<double>(sorted.size() - 1) * 1e9 /
         static_cast<double>(sorted.back() - sorted.front());
}

// Standard deviation over mean of the gaps between sorted instants, as `position` measures them.
template <typename Position>
Count gap_cv(const std::vector<std::int64_t>& sorted, Position position) {
  if (sorted.size() < 3) return std::nullopt;
  const auto gaps = static_cast<double>(sorted.size() - 1);
  const double mean = (position(sorted.back()) - position(sorted.front())) / gaps;
  if (!(mean > 0)) return std::nullopt;
  double squares = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double off = position(sorted[i]) - position(sorted[i - 1]) - mean;
    squares += off * off;
  }
  return std::sqrt(squares / gaps) / mean;
}

void load_figures(TrustFigures& figures, const LoadOffered& load) {
  figures.first_attempts = static_cast<double>(load.sent);
  figures.send_lag_p50_ms = load.lag_p50_ms;
  figures.send_lag_p99_ms = load.lag_p99_ms;
  figures.send_lag_max_ms = load.lag_max_ms;
  if (load.sent > 0) {
    figures.send_lag_over_limit = static_cast<double>(load.late) / static_cast<double>(load.sent);
  }
  figures.unsent_by_policy = static_cast<double>(kept_back(load));
  figures.unsent_for_shortage = static_cast<double>(unsent_for_shortage(load));
  figures.retries_denied = static_cast<double>(retries_denied(load));
}

// First attempts by when they were scheduled and when they arrived, both sorted. What a policy kept
// back was not to arrive.
struct FirstAttempts {
  std::vector<std::int64_t> scheduled, arrived;
};

// Of the requests scheduled in [from, to).
FirstAttempts first_attempts(Database& database, const TryKey& key, std::int64_t from,
                             std::int64_t to) {
  const auto column = [&](const std::string& sql) {
    Statement rows(database, sql);
    rows.bind(key.arm, key.try_number, from, to);
    std::vector<std::int64_t> values;
    while (rows.step()) values.push_back(rows.only_column().integer());
    return values;
  };
  return {
      column(fmt::format("SELECT scheduled FROM requests WHERE arm = ? AND try_number = ? AND "
                         "scheduled >= ? AND scheduled < ? AND NOT {} ORDER BY scheduled",
                         unsent_by_policy_sql())),
      column("SELECT a.arrived FROM arrivals a JOIN requests r USING (arm, try_number, request) "
             "WHERE arm = ? AND try_number = ? AND attempt = 0 AND scheduled >= ? AND "
             "scheduled < ? ORDER BY a.arrived")};
}

// How each stage reached the service. A gap is measured by the integral of the schedule over it: a
// ramp that is kept has gaps of one request.
std::vector<StageTrust> stages_from_ledger(Database& database, const TryKey& key,
                                           const std::vector<Stage>& stages, bool judge_gaps) {
  const auto position = [&](std::int64_t at) { return area_until(stages, Duration(at)); };
  std::vector<StageTrust> list;
  std::int64_t start = 0;
  for (const Stage& stage : stages) {
    const std::int64_t end = start + stage.length.count();
    const FirstAttempts seen = first_attempts(database, key, start, end);
    list.push_back({text_of(stage), seconds(stage.length), per_second(seen.scheduled),
                    per_second(seen.arrived),
                    judge_gaps ? gap_cv(seen.arrived, position) : std::nullopt});
    start = end;
  }
  return list;
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
                "max(picked - started) AS lateness, total(picked - started >= ?3) AS at_bound, "
                "max(finished - due) AS finished_late "
                "FROM arrivals "
                "WHERE arm = ?1 AND try_number = ?2 AND disposition = 'completed'");
  row.bind(key.arm, key.try_number, scenario.service.work.count()).step();
  const auto ms = [&](std::string_view column) -> Count {
    const auto ns = row[column].number();
    return ns ? Count(*ns / 1e6) : std::nullopt;
  };
  figures.effective_work_ms = ms("effective");
  const bool fixed = scenario.service.work_shape == WorkShape::fixed &&
                     !scenario.service.recorded_work && !has_class_work(scenario);
  figures.work_drawn_ms = fixed ? milliseconds(scenario.service.work) : ms("drawn");
  figures.carried_lateness_max_ms = ms("lateness");
  figures.carried_lateness_at_bound = row["at_bound"].number();
  figures.service_lateness_max_ms = ms("finished_late");
}

// A service that is stopped while nothing is in work finishes nothing late: it only reads late.
Count read_lateness_ms(Database& database, const TryKey& key) {
  Statement row(database,
                "SELECT max(arrived - sent) AS late FROM both_sides WHERE arm = ? AND try_number = "
                "? AND sent IS NOT NULL");
  row.bind(key.arm, key.try_number).step();
  const auto ns = row["late"].number();
  return ns ? Count(*ns / 1e6) : std::nullopt;
}

std::string percent_off(double part, double whole) {
  return fmt::format("{:.3g} %", 100 * std::abs(part - whole) / std::abs(whole));
}

}  // namespace

TrustFigures figures_from_ledger(Database& database, const TryKey& key, const Scenario& scenario,
                                 const LoadOffered& load) {
  TrustFigures figures;
  load_figures(figures, load);
  // A closed loop has no schedule but what its users were answered.
  if (!scenario.client.users) figures.schedule_errors = schedule_errors(database, key, scenario);
  work(figures, database, key, scenario);
  figures.read_lateness_max_ms = read_lateness_ms(database, key);
  // What a policy kept back was not to arrive, and the gaps that it leaves are no fault of pacing.
  const auto scheduled = [&](bool by_policy) {
    return integers(database, key,
                    fmt::format("SELECT scheduled FROM requests WHERE arm = ? AND try_number = ? "
                                "AND {} = {:d} ORDER BY scheduled",
                                unsent_by_policy_sql(), by_policy));
  };
  figures.scheduled_per_s = per_second(scheduled(false));
  const auto arrived =
      integers(database, key,
               "SELECT arrived FROM arrivals WHERE arm = ? AND try_number = ? AND attempt = 0 "
               "ORDER BY arrived");
  figures.arrived_per_s = per_second(arrived);
  const std::vector<Stage>& stages = scenario.client.stages;
  const bool judge_gaps = scheduled(true).empty();
  if (judge_gaps) {
    figures.arrival_gap_cv = gap_cv(arrived, [&](std::int64_t at) {
      return stages.empty() ? static_cast<double>(at) : area_until(stages, Duration(at));
    });
  }
  figures.stages = stages_from_ledger(database, key, stages, judge_gaps);
  auto trips = integers(database, key,
                        "SELECT (arrived - sent) + (ended - replied) FROM both_sides WHERE arm = ? "
                        "AND try_number = ? AND outcome IN ('succeeded', 'rejected') "
                        "AND replied IS NOT NULL");
  figures.round_trip_ms = exact_quantiles(std::move(trips)).p50;
  return figures;
}

std::vector<std::string> broken_limits(const TrustFigures& t, const TrustLimits& limits,
                                       const Scenario& scenario) {
  std::vector<std::string> broken;
  std::vector<std::string_view> missing;
  const auto known = [&](const Count& figure, std::string_view what) {
    const bool is = figure && !std::isnan(*figure);
    if (!is) missing.push_back(what);
    return is;
  };
  const auto at_most = [&](const Count& figure, double limit, std::string_view what,
                           std::string_view unit) {
    if (!known(figure, what) || !rate_exceeds(*figure, 1, to_ppm(limit))) return;
    broken.push_back(
        fmt::format("{} {:.3g}{} is above {:.3g}{}", what, *figure, unit, limit, unit));
  };
  if (known(t.schedule_errors, "the schedule") && *t.schedule_errors > 0) {
    broken.push_back(fmt::format("{} requests were not offered as scheduled", *t.schedule_errors));
  }
  // Where all that arrived failed on purpose there was no work to be late with.
  const bool worked = t.effective_work_ms.has_value() || scenario.service.fail_rate == 0;
  if (worked && known(t.effective_work_ms, "effective work") &&
      known(t.work_drawn_ms, "work drawn")) {
    if (off_by_more(*t.effective_work_ms, *t.work_drawn_ms, to_ppm(limits.work_error))) {
      broken.push_back(fmt::format(
          "effective work {:.4g} ms is {} off the {:.4g} ms drawn", *t.effective_work_ms,
          percent_off(*t.effective_work_ms, *t.work_drawn_ms), *t.work_drawn_ms));
    }
  }
  if (t.carried_lateness_at_bound.value_or(0) > 0) {
    broken.push_back(fmt::format(
        "the service's lateness reached one work time at {} starts, so its ceiling is not exact",
        *t.carried_lateness_at_bound));
  }
  if (worked) {
    at_most(t.service_lateness_max_ms, limits.service_lateness_max_ms,
            "the service's lateness in finishing", " ms");
  }
  at_most(t.read_lateness_max_ms, limits.service_lateness_max_ms,
          "the service's lateness in reading", " ms");
  const auto off_rate = [&](const Count& arrived, const Count& planned, double limit,
                            std::string_view where) {
    // A single request has no rate, and two have no variation of their gap.
    if (!planned || !known(arrived, "the rate of arrivals")) return;
    if (!off_by_more(*arrived, *planned, to_ppm(limit))) return;
    broken.push_back(fmt::format("first attempts{} arrived at {}/s, {} off their schedule", where,
                                 rate_text(arrived), percent_off(*arrived, *planned)));
  };
  const bool paced = scenario.client.arrivals == ArrivalProcess::even && !scenario.client.users &&
                     !scenario.client.recorded && t.unsent_by_policy.value_or(0) == 0 &&
                     t.first_attempts.value_or(0) > 2;
  constexpr std::string_view pacing =
      "even pacing reached the service with a gap coefficient of variation:";
  if (t.stages.empty()) {
    off_rate(t.arrived_per_s, t.scheduled_per_s, limits.rate_error, "");
    if (paced && known(t.arrival_gap_cv, "the gaps of arrivals")) {
      at_most(t.arrival_gap_cv, limits.arrival_gap_cv, pacing, "");
    }
  }
  for (const StageTrust& stage : t.stages) {
    // In a short stage the lag that is allowed at both of its ends is more than the error is.
    const double limit =
        std::max(limits.rate_error, 2 * limits.send_lag_max_ms / 1000 / stage.seconds);
    off_rate(stage.arrived_per_s, stage.scheduled_per_s, limit,
             fmt::format(" of stage {}", stage.stage));
    if (paced) {
      at_most(stage.arrival_gap_cv, limits.arrival_gap_cv,
              fmt::format("in stage {} {}", stage.stage, pacing), "");
    }
  }
  at_most(t.service_cpu_share, limits.cpu_share, "the service's share of a core", "");
  at_most(t.generator_cpu_share, limits.cpu_share, "the generator's share of a core", "");
  if (known(t.ledger_lost, "the count of lost ledger records") && *t.ledger_lost > 0) {
    broken.push_back(fmt::format("{} ledger records could not be written", *t.ledger_lost));
  }
  if (!missing.empty()) {
    broken.push_back(
        fmt::format("not known, and so within no limit: {}", fmt::join(missing, ", ")));
  }
  return broken;
}

std::vector<std::string> disagreements(std::string_view process, const JsonObject& own,
                                       const Counts& ledger,
                                       std::span<const std::string_view> names) {
  std::vector<std::string> differing;
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
      differing.push_back(
          fmt::format("{}: the {} counted {}, the ledger {}", name, process, *theirs, *count));
    }
  });
  return differing;
}

}  // namespace retrystorm
