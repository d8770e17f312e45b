#include "experiments/evidence/history_index.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>

#include <fmt/format.h>
#include <unistd.h>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

// "rate REAL, whole_goodput REAL" for " REAL".
std::string columns(std::string_view type = {}) {
  std::string text;
  for (const PastFigure& one : past_figures) {
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", one.name, type);
  }
  return text;
}

// `size` and `modified` are of report.json, when it was read.
std::string runs_table() {
  return "CREATE TABLE runs (directory TEXT PRIMARY KEY, size INTEGER NOT NULL, "
         "modified INTEGER NOT NULL, finished INTEGER NOT NULL, experiment TEXT NOT NULL, "
         "question TEXT NOT NULL, status TEXT NOT NULL)";
}
std::string arms_table() {
  return fmt::format(
      "CREATE TABLE arms (directory TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, "
      "position INTEGER NOT NULL, arm TEXT NOT NULL, status TEXT NOT NULL, "
      "trusted INTEGER NOT NULL, {}, PRIMARY KEY (directory, position))",
      columns(" REAL"));
}

// How a table was made; empty if there is none.
std::string made_as(Database& index, std::string_view table) {
  Statement row(index, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?");
  row.bind(table);
  return row.step() ? row.only_column().text() : std::string();
}

// An index with other columns, or a damaged one, is nothing to mourn.
Database open_index(const std::string& path) {
  Database index(path);
  index.execute("PRAGMA foreign_keys = ON");
  Statement check(index, "PRAGMA quick_check");
  if (!check.step() || check.only_column().text() != "ok")
    throw InvalidInput(path, "", "is damaged");
  if (made_as(index, "runs") != runs_table() || made_as(index, "arms") != arms_table()) {
    index.execute("DROP TABLE IF EXISTS arms; DROP TABLE IF EXISTS runs;");
    index.execute(runs_table());
    index.execute(arms_table());
  }
  return index;
}

}  // namespace

std::size_t PastRun::trusted() const {
  return static_cast<std::size_t>(
      std::count_if(arms.begin(), arms.end(), [](const PastArm& a) { return a.trusted; }));
}

HistoryIndex HistoryIndex::in_memory() {
  return HistoryIndex(open_index(":memory:"));
}

HistoryIndex HistoryIndex::open(const std::string& folder, bool rebuild) {
  const std::string path = folder + "/history.sqlite";
  std::error_code ignored;
  const fs::file_status there = fs::symlink_status(path, ignored);
  const bool is_ours = !fs::exists(there) || fs::is_regular_file(there);
  if (!is_ours || ::access(folder.c_str(), W_OK) != 0) return in_memory();
  if (rebuild) fs::remove(path, ignored);
  try {
    return HistoryIndex(open_index(path));
  } catch (const InvalidInput&) {  // no database, or a damaged one
    fs::remove(path, ignored);
    return HistoryIndex(open_index(path));
  }
}

std::map<std::string, ReportStamp> HistoryIndex::known() {
  std::map<std::string, ReportStamp> stamps;
  Statement rows(database_, "SELECT directory, size, modified FROM runs");
  const Column directory = rows["directory"], size = rows["size"], modified = rows["modified"];
  while (rows.step()) stamps[directory.text()] = {size.integer(), modified.integer()};
  return stamps;
}

void HistoryIndex::forget(const std::string& directory) {
  Statement(database_, "DELETE FROM runs WHERE directory = ?").run(directory);
}

void HistoryIndex::remember(const PastRun& run, const ReportStamp& stamp) {
  forget(run.directory);
  Statement(database_,
            "INSERT INTO runs (directory, size, modified, finished, experiment, question, status) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run(run.directory, stamp.size, stamp.modified, run.finished, run.experiment, run.question,
           run.status);
  std::string places;
  for (std::size_t i = 0; i < std::size(past_figures); ++i) places += ", ?";
  Statement arm(database_,
                fmt::format("INSERT INTO arms (directory, position, arm, status, trusted, {}) "
                            "VALUES (?, ?, ?, ?, ?{})",
                            columns(), places));
  std::int64_t position = 0;
  for (const PastArm& a : run.arms) {
    std::apply(
        [&](const auto&... figures) {
          arm.run(run.directory, position, a.name, a.status, std::int64_t{a.trusted}, figures...);
        },
        a.figures);
    ++position;
  }
}

std::vector<PastArm> HistoryIndex::arms_in(const std::string& directory) {
  Statement rows(database_, fmt::format("SELECT arm, status, trusted, {} FROM arms "
                                        "WHERE directory = ? ORDER BY position",
                                        columns()));
  rows.bind(directory);
  std::vector<PastArm> arms;
  while (rows.step()) {
    PastArm arm;
    arm.name = rows["arm"].text();
    arm.status = rows["status"].text();
    arm.trusted = rows["trusted"].integer() != 0;
    for (std::size_t i = 0; i < arm.figures.size(); ++i) {
      arm.figures[i] = rows[past_figures[i].name].number();
    }
    arms.push_back(std::move(arm));
  }
  return arms;
}

std::vector<PastRun> HistoryIndex::runs(std::string_view experiment) {
  Statement rows(database_,
                 "SELECT directory, finished, experiment, question, status FROM runs "
                 "WHERE ?1 = '' OR experiment = ?1 ORDER BY finished, directory");
  rows.bind(experiment);
  std::vector<PastRun> runs;
  while (rows.step()) {
    const std::string directory = rows["directory"].text();
    runs.push_back({directory, rows["finished"].integer(), rows["experiment"].text(),
                    rows["question"].text(), rows["status"].text(), arms_in(directory)});
  }
  return runs;
}

}  // namespace retrystorm
