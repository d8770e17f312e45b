#include "experiments/history.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/scenario_toml.hpp"
#include "experiments/database.hpp"
#include "experiments/report.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t schema_version = 1;

constexpr const char* schema = R"(
  CREATE TABLE runs (
    directory TEXT PRIMARY KEY,
    size INTEGER NOT NULL, modified INTEGER NOT NULL,  -- of report.json, when it was read
    finished INTEGER NOT NULL, experiment TEXT NOT NULL, question TEXT NOT NULL,
    status TEXT NOT NULL);
  CREATE TABLE arms (
    directory TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, place INTEGER NOT NULL,
    arm TEXT NOT NULL, status TEXT NOT NULL, trusted INTEGER NOT NULL, rate REAL,
    whole_goodput REAL, settled_goodput REAL, throughput REAL, abandoned_share REAL,
    amplification REAL, median_ms REAL,
    PRIMARY KEY (directory, place));
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

Database index_of(const std::string& folder, bool rebuild) {
  const std::string path = folder + "/history.sqlite";
  std::error_code ignored;
  if (::access(folder.c_str(), W_OK) != 0) return open_index(":memory:");
  if (rebuild) fs::remove(path, ignored);
  try {
    return open_index(path);
  } catch (const InvalidInput&) {  // no database, or a damaged one
    fs::remove(path, ignored);
    return open_index(path);
  }
}

struct Stamp {
  std::int64_t size = 0;
  std::int64_t modified = 0;  // ns
  friend bool operator==(const Stamp&, const Stamp&) = default;
};

std::optional<Stamp> stamp_of(const std::string& file) {
  struct stat s {};
  if (::stat(file.c_str(), &s) != 0) return std::nullopt;
  return Stamp{s.st_size, s.st_mtim.tv_sec * 1'000'000'000 + s.st_mtim.tv_nsec};
}

// A directory named by `run` tells when it was made ("collapse-20250101T120000Z", perhaps with a
// number behind it); otherwise the file's time must do.
std::int64_t finished_at(const std::string& directory, const Stamp& stamp) {
  const std::size_t mark = directory.rfind("Z");
  if (mark != directory.npos && mark >= 16 && directory[mark - 16] == '-') {
    int y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0;
    const std::string text = directory.substr(mark - 15, 15);
    if (std::sscanf(text.c_str(), "%4d%2d%2dT%2d%2d%2d", &y, &mo, &d, &h, &mi, &s) == 6) {
      namespace chrono = std::chrono;
      const chrono::year_month_day day(chrono::year(y), chrono::month(static_cast<unsigned>(mo)),
                                       chrono::day(static_cast<unsigned>(d)));
      if (day.ok()) {
        const auto midnight = chrono::sys_days(day).time_since_epoch();
        return chrono::seconds(midnight).count() + (h * 60 + mi) * 60 + s;
      }
    }
  }
  return stamp.modified / 1'000'000'000;
}

PastRun read_run(const std::string& folder, const std::string& directory, const Stamp& stamp) {
  PastRun run;
  run.directory = directory;
  run.finished = finished_at(directory, stamp);
  const std::string file = folder + "/" + directory + "/report.json";
  if (!stamp_of(file)) {
    run.status = "no report: it still runs, or was killed (retrystorm report imports it)";
    return run;
  }
  try {
    const Report report = report_from_json(parse_json(read_file(file), file), file);
    run.experiment = report.experiment;
    run.question = report.question;
    run.status = report.partial ? "partial" : "done";
    for (const ArmReport& arm : report.arms) {
      PastArm past{arm.name, arm.status, arm.trusted, arm.scenario.client.rate, {}, {}, {},
                   {},       {},         {}};
      if (arm.measured) {
        const Tally& t = *arm.measured;
        past.whole_goodput = t.whole.goodput_per_s;
        past.settled_goodput = t.settled.goodput_per_s;
        past.throughput = t.whole.throughput_per_s;
        past.abandoned_share = t.whole.abandoned_share;
        past.amplification = t.whole.amplification;
        past.median_ms = t.request.p50;
      }
      run.arms.push_back(std::move(past));
    }
  } catch (const InvalidInput& error) {
    run.status = fmt::format("unreadable: {}", error.what());
  }
  return run;
}

PastRun unreadable(const std::string& directory) {
  PastRun run;
  run.directory = directory;
  run.finished = finished_at(directory, {});
  run.status = fmt::format("unreadable: {}", std::strerror(EACCES));
  return run;
}

void forget(Database& index, const std::string& directory) {
  Statement(index, "DELETE FROM runs WHERE directory = ?").run(directory);
}

void remember(Database& index, const PastRun& run, const Stamp& stamp) {
  forget(index, run.directory);
  Statement(index, "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run(run.directory, stamp.size, stamp.modified, run.finished, run.experiment, run.question,
           run.status);
  Statement arm(index, "INSERT INTO arms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  std::int64_t place = 0;
  for (const PastArm& a : run.arms) {
    arm.run(run.directory, place++, a.name, a.status, std::int64_t{a.trusted}, a.rate,
            a.whole_goodput, a.settled_goodput, a.throughput, a.abandoned_share, a.amplification,
            a.median_ms);
  }
}

void bring_up_to_date(Database& index, const std::string& folder) {
  std::map<std::string, Stamp> known;
  Statement rows(index, "SELECT directory, size, modified FROM runs");
  while (rows.step()) known[rows.text(0)] = {rows.integer(1), rows.integer(2)};
  Transaction transaction(index);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string directory = entry.path().filename().string();
    auto stamp = stamp_of(entry.path().string() + "/report.json");
    if (!stamp) stamp = stamp_of(entry.path().string() + "/experiment.toml");
    if (!stamp) {
      if (errno != EACCES) continue;  // no run's directory
      remember(index, unreadable(directory), {});
      known.erase(directory);
      continue;
    }
    const auto found = known.find(directory);
    if (found == known.end() || found->second != *stamp) {
      remember(index, read_run(folder, directory, *stamp), *stamp);
    }
    if (found != known.end()) known.erase(found);
  }
  if (error) throw InvalidInput(folder, "DIR", error.message());
  for (const auto& [directory, stamp] : known) forget(index, directory);
  transaction.commit();
}

// The index is a convenience: where it cannot be kept (no place, no permission, something else of
// its name), the answer comes without it.
Database current_index(const std::string& folder, bool rebuild) {
  try {
    Database index = index_of(folder, rebuild);
    bring_up_to_date(index, folder);
    return index;
  } catch (const RunFailed&) {
    Database index = open_index(":memory:");
    bring_up_to_date(index, folder);
    return index;
  }
}

std::vector<PastArm> arms_in(Database& index, const std::string& directory) {
  Statement rows(index,
                 "SELECT arm, status, trusted, rate, whole_goodput, settled_goodput, throughput, "
                 "abandoned_share, amplification, median_ms FROM arms WHERE directory = ? "
                 "ORDER BY place");
  rows.bind(directory);
  std::vector<PastArm> arms;
  while (rows.step()) {
    arms.push_back({rows.text(0), rows.text(1), rows.integer(2) != 0, rows.number(3),
                    rows.number(4), rows.number(5), rows.number(6), rows.number(7), rows.number(8),
                    rows.number(9)});
  }
  return arms;
}

}  // namespace

std::size_t PastRun::trusted() const {
  return static_cast<std::size_t>(
      std::count_if(arms.begin(), arms.end(), [](const PastArm& a) { return a.trusted; }));
}

std::vector<PastRun> history_of(const std::string& folder, const HistoryOptions& options) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw InvalidInput(folder, "DIR", "must be a folder of run directories");
  }
  Database index = current_index(folder, options.rebuild);
  Statement rows(index,
                 "SELECT directory, finished, experiment, question, status FROM runs "
                 "WHERE ?1 = '' OR experiment = ?1 ORDER BY finished, directory");
  rows.bind(options.experiment);
  std::vector<PastRun> runs;
  while (rows.step()) {
    runs.push_back({rows.text(0), rows.integer(1), rows.text(2), rows.text(3), rows.text(4),
                    arms_in(index, rows.text(0))});
  }
  if (options.last > 0 && runs.size() > options.last) {
    runs.erase(runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(options.last));
  }
  return runs;
}

std::string utc_text(std::int64_t seconds_since_1970) {
  const std::chrono::sys_seconds at{std::chrono::seconds(seconds_since_1970)};
  return fmt::format("{:%Y-%m-%d %H:%M:%S}Z", at);
}

}  // namespace retrystorm
