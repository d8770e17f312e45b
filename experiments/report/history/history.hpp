// Past runs of a results folder, from an SQLite index that is brought up to date from the run
// directories and can be thrown away at any time.
#pragma once

#include "core/terminal.hpp"
#include "experiments/evidence/history_index.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

struct HistoryOptions {
  bool rebuild = false;    // forget the index first
  std::string experiment;  // only runs of this one; empty: all
  std::size_t last = 0;    // only so many, the latest; 0: all
};

// The runs in `folder`, oldest first. Reads what is new or changed, forgets what is gone, and keeps
// the index in FOLDER/history.sqlite (in memory, where it cannot be written). Throws InvalidInput
// if the folder is none.
std::vector<PastRun> history_of(const std::string& folder, const HistoryOptions& options);

// How an arm's goodput differs from that of the run before: the latest earlier run of the same
// experiment in which the arm was measured. The settled goodput, where both runs have it, else that
// of the whole run.
struct PastChange {
  std::size_t before = 0;       // the index of that run
  bool settled = false;         // which goodput
  double per_s = 0;             // now less before
  std::optional<double> share;  // of before; nothing where that was 0
};
std::optional<PastChange> change_of(const std::vector<PastRun>& runs, std::size_t run,
                                    std::size_t arm);

std::string history_text(const std::vector<PastRun>& runs, std::size_t width = default_width);
boost::json::value to_json(const std::vector<PastRun>& runs);
// One self-contained page: the goodput of each arm over the runs, and a table.
std::string history_html(const std::vector<PastRun>& runs, std::string_view folder);

// "2025-01-01 12:00:00Z".
std::string utc_text(std::int64_t seconds_since_1970);

}  // namespace retrystorm
