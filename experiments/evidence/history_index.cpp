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

std::int64_t version_of(Database& index) {
  Statement row(index, "PRAGMA user_version");
  return row.step() ? row.only_column().integer() : 0;
}

// An index of another version, or a damaged one, is nothing to mourn.
Database open_index(const std::string& path) {
  Database index(path);
  index.execute("PRAGMA foreign_keys = ON");
  Statement check(index, "PRAGMA quick_check");
  if (!check.step() || check.only_column().text() != "ok")
    throw InvalidInput(path, "", "is damaged");
  if (version_of(index) != schema_version) {
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
  Statement arm(database_,
                "INSERT INTO arms (directory, position, arm, status, trusted, rate, whole_goodput, "
                "settled_goodput, throughput, abandoned_share, amplification, median_ms) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
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
    PastArm arm;
    arm.name = rows["arm"].text();
    arm.status = rows["status"].text();
    arm.trusted = rows["trusted"].integer() != 0;
    arm.rate = rows["rate"].number();
    arm.whole_goodput = rows["whole_goodput"].number();
    arm.settled_goodput = rows["settled_goodput"].number();
    arm.throughput = rows["throughput"].number();
    arm.abandoned_share = rows["abandoned_share"].number();
    arm.amplification = rows["amplification"].number();
    arm.median_ms = rows["median_ms"].number();
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
