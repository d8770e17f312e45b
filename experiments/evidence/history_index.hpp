// The index of a results folder: what past runs came to, kept in SQLite beside them so that a long
// history need not be read again. It can be thrown away at any time; what it holds is brought up to
// date in report/history/.
#pragma once

#include "core/tally.hpp"
#include "experiments/evidence/database.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

struct PastArm {
  std::string name;
  std::string status;
  bool trusted = false;
  Count rate;  // offered per second by the scenario
  Count whole_goodput, settled_goodput, throughput, abandoned_share, amplification, median_ms;
};

struct PastRun {
  std::string directory;      // its name in the results folder
  std::int64_t finished = 0;  // seconds since 1970, UTC
  std::string experiment;
  std::string question;
  std::string status;  // "done", "partial", or why its report cannot be read
  std::vector<PastArm> arms;
  std::size_t trusted() const;
};

// Which state of a run's report was read.
struct ReportStamp {
  std::int64_t size = 0;
  std::int64_t modified = 0;  // ns
  friend bool operator==(const ReportStamp&, const ReportStamp&) = default;
};

class HistoryIndex {
 public:
  // FOLDER/history.sqlite, or an index in memory where the folder cannot be written. An index of
  // another version, or a damaged one, is made anew; `rebuild` forgets it first. Throws RunFailed.
  static HistoryIndex open(const std::string& folder, bool rebuild);
  static HistoryIndex in_memory();

  // The runs that are known, by directory, with the state that was read.
  std::map<std::string, ReportStamp> known();
  void forget(const std::string& directory);
  void remember(const PastRun& run, const ReportStamp& stamp);
  // All runs of an experiment (of every one, if empty), oldest first.
  std::vector<PastRun> runs(std::string_view experiment);

  Database& database() { return database_; }

 private:
  explicit HistoryIndex(Database database) : database_(std::move(database)) {}
  std::vector<PastArm> arms_in(const std::string& directory);

  Database database_;
};

}  // namespace retrystorm
