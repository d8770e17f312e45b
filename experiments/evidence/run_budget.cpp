#include "experiments/evidence/run_budget.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/number_text.hpp"
#include "core/outcome.hpp"
#include "experiments/evidence/database.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

// True if the table or view has the column: false also where there is no such table.
bool has(Database& database, std::string_view table, std::string_view column) {
  Statement statement(database, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
  return statement.bind(table, column).step();
}

void require_ledger(Database& database) {
  constexpr std::pair<std::string_view, std::string_view> needed[] = {
      {"arms", "arm"},          {"arms", "repeat"},      {"arms", "trusted"},
      {"requests", "arm"},      {"requests", "repeat"},  {"requests", "scheduled"},
      {"requests", "finished"}, {"requests", "outcome"},
  };
  for (const auto& [table, column] : needed) {
    if (has(database, table, column)) continue;
    throw InvalidInput(database.path(), fmt::format("{}.{}", table, column),
                       "is no column there; it must be the ledger of a run");
  }
}

// How each request ended. Where a killed generator lost a request's own record, its attempts know.
std::string ends_query(Database& database) {
  std::string ends = "SELECT arm, repeat, outcome, scheduled, finished FROM requests";
  if (has(database, "request_ends", "record_lost")) {
    ends +=
        " UNION ALL SELECT arm, repeat, outcome, scheduled, finished FROM request_ends"
        " WHERE record_lost = 1";
  }
  return fmt::format(
      "WITH ends AS ({}) SELECT outcome, count(*), total(finished - scheduled <= ?3) FROM ends "
      "WHERE arm = ?1 AND repeat = ?2 GROUP BY outcome",
      ends);
}

void count(TryBudget& result, std::int64_t target_ppm, Duration latency, Statement& query) {
  std::int64_t good = 0;
  query.bind(result.arm, result.repeat, std::int64_t{latency.count()});
  while (query.step()) {
    const std::string outcome = query.text(0);
    const std::int64_t all = query.integer(1);
    if (outcome == name(RequestOutcome::succeeded)) {
      good = query.integer(2);
      result.slow = all - good;
    } else if (outcome == name(RequestOutcome::unsent)) {
      result.unsent = all;
    } else if (outcome == name(RequestOutcome::unfinished)) {
      result.unfinished = all;
    } else {
      result.gave_up += all;
    }
  }
  const std::int64_t total = good + result.slow + result.gave_up + result.unfinished;
  result.budget = error_budget(total, good, target_ppm);
}

}  // namespace

RunBudget budget_of_run(const std::string& directory, std::int64_t target_ppm, Duration latency) {
  const std::string file = directory + "/run.sqlite";
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(file, unreadable)) {
    throw InvalidInput(directory, "run.sqlite",
                       "is not there; it must be a run directory (`retrystorm report DIR` imports "
                       "what a killed run left)");
  }
  Database database(file);
  require_ledger(database);
  RunBudget run{directory, target_ppm, latency, {}};
  Statement arms(database, "SELECT arm, repeat, trusted FROM arms ORDER BY rowid");
  while (arms.step()) {
    TryBudget one;
    one.arm = arms.text(0);
    one.repeat = arms.integer(1);
    one.trusted = arms.integer(2) == 1;
    run.tries.push_back(one);
  }
  if (run.tries.empty()) {
    throw InvalidInput(file, "arms", "is empty; a budget needs a run with at least one try");
  }
  Statement query(database, ends_query(database));
  for (TryBudget& one : run.tries) count(one, target_ppm, latency, query);
  return run;
}

json::value to_json(const RunBudget& run) {
  json::array tries;
  for (const TryBudget& one : run.tries) {
    json::object row{{"arm", one.arm}, {"repeat", one.repeat}, {"trusted", one.trusted}};
    for (const auto& member : to_json(one.budget)) row.emplace(member.key(), member.value());
    row["slow"] = one.slow;
    row["gave_up"] = one.gave_up;
    row["unfinished"] = one.unfinished;
    row["unsent"] = one.unsent;
    tries.emplace_back(std::move(row));
  }
  return {{"run", run.directory},
          {"target_ppm", run.target_ppm},
          {"latency_ms", json_number(milliseconds(run.latency))},
          {"tries", std::move(tries)}};
}

std::string to_text(const RunBudget& run) {
  std::size_t width = 3;
  for (const TryBudget& one : run.tries) width = std::max(width, printable(one.arm).size());
  std::string text = fmt::format(
      "Error budget of {}: {}% of the requests succeed within {} of their schedule\n\n",
      printable(run.directory), format_number(static_cast<double>(run.target_ppm) / 10'000),
      format_duration(run.latency));
  text += fmt::format(
      "{:{}}  try    total     good  slow  gave up  no answer  unsent*     ratio  "
      "allowed  remaining\n",
      "arm", width);
  bool doubtful = false;
  for (const TryBudget& one : run.tries) {
    const Budget& b = one.budget;
    text += fmt::format("{:{}}  {:3} {:8} {:8} {:5} {:8} {:10} {:8}  {:>8}  {:7}  {:9}{}\n",
                        printable(one.arm), width, one.repeat, b.total, b.good, one.slow,
                        one.gave_up, one.unfinished, one.unsent,
                        b.ratio ? fmt::format("{:.4f}%", 100 * *b.ratio) : std::string(no_number),
                        b.allowed_bad, b.remaining, one.trusted ? "" : "  untrusted");
    doubtful = doubtful || !one.trusted;
  }
  text += "\n* not counted: the generator could not send them\n";
  if (doubtful) text += "untrusted: the measurement does not vouch for itself\n";
  return text;
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
