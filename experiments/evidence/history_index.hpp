// The index of a results folder: what past runs came to, kept in SQLite beside them so that a long
// history need not be read again. It can be thrown away at any time; what it holds is brought up to
// date in report/history/.
#pragma once

#include "core/tally_figures.hpp"
#include "experiments/evidence/database.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

// What is kept of each arm: a figure of its tally, under the name that it has in the index and in
// JSON, and the width of its column on the terminal; headings where the figure's own would not do,
// on the page and on the terminal.
struct PastFigure {
  std::string_view name;
  const TallyFigure& figure;
  std::size_t width;
  std::string_view own_heading = {};
  std::string_view short_heading = {};

  constexpr std::string_view heading() const {
    return own_heading.empty() ? figure.heading : own_heading;
  }
};
inline constexpr PastFigure past_figures[] = {
    {"rate", figure_of("whole.offered_per_s"), 10},
    {"whole_goodput", figure_of("whole.goodput_per_s"), 12, "goodput /s, whole"},
    {"settled_goodput", figure_of("settled.goodput_per_s"), 12, "settled"},
    {"throughput", figure_of("whole.throughput_per_s"), 14},
    {"abandoned_share", figure_of("whole.abandoned_share"), 12, "abandoned"},
    {"amplification", figure_of("whole.amplification"), 8, {}, "ampl."},
    {"median_ms", figure_of("latency_ms.request.p50"), 11},
};

struct PastArm {
  std::string name;
  std::string status;
  bool trusted = false;
  // As past_figures has them; the first is what the scenario offers, the others were measured.
  std::array<Count, std::size(past_figures)> figures = {};
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
