#include "experiments/evidence/history_index.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t schema_version = 2;

constexpr const char* schema = R"(
  CREATE TABLE runs (
    directory TEXT PRIMARY KEY,
    size INTEGER NOT NULL, modified INTEGER NOT NULL,  -- of report.json, when it was read
    finished INTEGER NOT NULL, experiment TEXT NOT NULL, question TEXT NOT NULL,
    status TEXT NOT NULL);
  CREATE TABLE arms (
    directory TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, position INTEGER NOT NULL,
    arm TEXT NOT NULL, status TEXT NOT NULL, trusted INTEGER NOT NULL, rate REAL,
    whole_goodput REAL, settled_goodput REAL, throughput REAL, abandoned_share REAL,
    amplification REAL, median_ms REAL,
    PRIMARY KEY (directory, position));
)";

std::int64_t integer_of(Database& index, std::string_view sql) {
  Statement row(index, sql);
  return row.step() ? row.integer(0) : 0;
}

// An index of another version, or a damaged one, is nothing to mourn.
Database open_index(const std::string& path) {
  Database index(path);
  index.execute("PRAGMA foreign_keys = ON");
  Statement check(index, "PRAGMA quick_check");
  if (!check.step() || check.text(0) != "ok") throw InvalidInput(path, "", "is damaged");
  if (integer_of(index, "PRAGMA user_version") != schema_version) {
    index.execute("DROP TABLE IF EXISTS arms; DROP TABLE IF EXISTS runs;");
    index.execute(schema);
    index.execute(fmt::format("PRAGMA user_version = {}", schema_version));
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
  if (::access(folder.c_str(), W_OK) != 0) return in_memory();
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
  while (rows.step()) stamps[rows.text(0)] = {rows.integer(1), rows.integer(2)};
  return stamps;
}

void HistoryIndex::forget(const std::string& directory) {
  Statement(database_, "DELETE FROM runs WHERE directory = ?").run(directory);
}

void HistoryIndex::remember(const PastRun& run, const ReportStamp& stamp) {
  forget(run.directory);
  Statement(database_, "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run(run.directory, stamp.size, stamp.modified, run.finished, run.experiment, run.question,
           run.status);
  Statement arm(database_, "INSERT INTO arms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const PastArm& a : run.arms) {
    arm.run(run.directory, position++, a.name, a.status, std::int64_t{a.trusted}, a.rate,
            a.whole_goodput, a.settled_goodput, a.throughput, a.abandoned_share, a.amplification,
            a.median_ms);
  }
}

std::vector<PastArm> HistoryIndex::arms_in(const std::string& directory) {
  Statement rows(database_,
                 "SELECT arm, status, trusted, rate, whole_goodput, settled_goodput, throughput, "
                 "abandoned_share, amplification, median_ms FROM arms WHERE directory = ? "
                 "ORDER BY position");
  rows.bind(directory);
  std::vector<PastArm> arms;
  while (rows.step()) {
    arms.push_back({rows.text(0), rows.text(1), rows.integer(2) != 0, rows.number(3),
                    rows.number(4), rows.number(5), rows.number(6), rows.number(7), rows.number(8),
                    rows.number(9)});
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
    runs.push_back({rows.text(0), rows.integer(1), rows.text(2), rows.text(3), rows.text(4),
                    arms_in(rows.text(0))});
  }
  return runs;
}

}  // namespace retrystorm
