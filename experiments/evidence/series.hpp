// What happened over time in one try, from its ledger: counts in bins of equal width, each event in
// the bin of its own instant. In-process truth, to be drawn; the totals stand in the Tally.
#pragma once

#include "core/scenario.hpp"
#include "experiments/evidence/database.hpp"
#include "experiments/evidence/import.hpp"

#include <array>
#include <vector>

namespace retrystorm {

// One value a bin.
using Bins = std::vector<double>;

struct Series {
  Duration bin{};
  // Events a bin: requests by schedule, attempts by send, successes by reply, completions by
  // finish.
  Bins offered, attempts, succeeded, completed;
  std::array<Bins, attempt_outcome_names.size()> ended;  // attempts by outcome, at their end
  Bins queue;                                            // waiting requests, mean over the bin
  // Seconds that workers spent in the bin: on replies that were taken, on replies whose client had
  // left, on refusals that cost work, and on what ended otherwise.
  Bins useful, abandoned, refusals, other;

  // How old the replies were when they left the service, counted from the attempt's send, up to two
  // timeouts; the last bin holds what was older.
  Duration age_bin{};
  Bins age_taken, age_abandoned;
};

// The width of a bin for a run of this length: the largest multiple of the work time up to 100 ms
// (100 ms where the work is longer), and wider where that would be more than 1,200 bins.
Duration bin_width(Duration length, Duration work);

// The series of one imported try; no bins if its ledger is empty.
Series series_from_ledger(Database& database, const TryKey& key, const Scenario& scenario);

}  // namespace retrystorm
