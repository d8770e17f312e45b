#include "experiments/evidence/run_budget.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/number_text.hpp"
#include "core/outcome.hpp"
#include "experiments/evidence/ledger_database.hpp"
#include "experiments/evidence/stored_run.hpp"
#include "experiments/evidence/unsent_sql.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

void require_ledger(Database& database) {
  constexpr std::pair<std::string_view, std::string_view> needed[] = {
      {"arms", "arm"},          {"arms", "try_number"},     {"arms", "trusted"},
      {"requests", "arm"},      {"requests", "try_number"}, {"requests", "scheduled"},
      {"requests", "finished"}, {"requests", "outcome"},    {"requests", "reason"},
  };
  for (const auto& [table, column] : needed) {
    const std::vector<std::string> columns = columns_of(database, table);
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) continue;
    throw InvalidInput(database.path(), fmt::format("{}.{}", table, column),
                       "is no column there; it must be the ledger of a run");
  }
}

// How each request ended. Where a killed generator lost a request's own record, its attempts know.
std::string ends_query(Database& database) {
  std::string ends = "SELECT arm, try_number, outcome, reason, scheduled, finished FROM requests";
  if (!columns_of(database, "request_ends").empty()) {
    ends +=
        " UNION ALL SELECT arm, try_number, outcome, reason, scheduled, finished FROM request_ends"
        " WHERE record_lost = 1";
  }
  return fmt::format(
      "WITH ends AS ({}) SELECT outcome, {} AS by_policy, count(*) AS count, "
      "total(finished - scheduled <= ?3) AS in_time "
      "FROM ends WHERE arm = ?1 AND try_number = ?2 GROUP BY 1, 2",
      ends, unsent_by_policy_sql());
}

void count(TryBudget& result, std::int64_t target_ppm, Duration latency, Statement& query) {
  std::int64_t good = 0;
  query.bind(result.arm, result.try_number, std::int64_t{latency.count()});
  while (query.step()) {
    const std::string outcome = query["outcome"].text();
    const std::int64_t all = query["count"].integer();
    if (outcome == name(RequestOutcome::succeeded)) {
      good = query["in_time"].integer();
      result.slow = all - good;
    } else if (outcome == name(RequestOutcome::unsent)) {
      (query["by_policy"].integer() == 1 ? result.kept_back : result.unsent) += all;
    } else if (outcome == name(RequestOutcome::unfinished)) {
      result.unfinished = all;
    } else {
      result.gave_up += all;
    }
  }
  const std::int64_t total =
      good + result.slow + result.gave_up + result.unfinished + result.kept_back;
  result.budget = error_budget(total, good, target_ppm);
}

}  // namespace

RunBudget budget_of_run(const std::string& directory, std::int64_t target_ppm, Duration latency) {
  std::optional<Database> ledger = ledger_of_directory(directory);
  const std::string file = directory + "/run.sqlite";
  std::error_code unreadable;
  // With nothing in it, but a file; it will be said what it lacks.
  if (!ledger && std::filesystem::is_regular_file(file, unreadable)) {
    ledger = open_ledger_to_read(file);
  }
  if (!ledger) {
    throw InvalidInput(directory, "run.sqlite",
                       "is not there, and no arms/ to make it from; it must be a run directory");
  }
  Database& database = *ledger;
  require_ledger(database);
  RunBudget run{directory, target_ppm, latency, {}};
  Statement arms(database, "SELECT arm, try_number, trusted FROM arms ORDER BY rowid");
  while (arms.step()) {
    TryBudget one;
    one.arm = arms["arm"].text();
    one.try_number = arms["try_number"].integer();
    one.trusted = arms["trusted"].integer() == 1;
    run.tries.push_back(one);
  }
  if (run.tries.empty()) {
    throw InvalidInput(database.path(), "arms",
                       "is empty; a budget needs a run with at least one try");
  }
  Statement query(database, ends_query(database));
  for (TryBudget& one : run.tries) count(one, target_ppm, latency, query);
  return run;
}

json::value to_json(const RunBudget& run) {
  json::array tries;
  for (const TryBudget& one : run.tries) {
    json::object row{{"arm", one.arm},
                     {"try_number", one.try_number},
                     {"repeat", one.try_number},  // its name in earlier versions
                     {"trusted", one.trusted}};
    for (const auto& member : to_json(one.budget)) row.emplace(member.key(), member.value());
    row["slow"] = one.slow;
    row["gave_up"] = one.gave_up;
    row["unfinished"] = one.unfinished;
    row["unsent_by_policy"] = one.kept_back;
    row["unsent"] = one.unsent;
    tries.emplace_back(std::move(row));
  }
  return {{"run", run.directory},
          {"target_ppm", run.target_ppm},
          {"latency_ms", json_number(milliseconds(run.latency))},
          {"tries", std::move(tries)}};
}

int exit_code_of(const RunBudget& run) {
  std::set<std::string> doubtful;
  for (const TryBudget& one : run.tries) doubtful.insert(one.arm);
  int code = exit_done;
  for (const TryBudget& one : run.tries) {
    if (!one.trusted) continue;
    doubtful.erase(one.arm);
    if (one.budget.remaining < 0) code = exit_failed;
  }
  return doubtful.empty() ? code : exit_untrusted;
}

}  // namespace retrystorm
