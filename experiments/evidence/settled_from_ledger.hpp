// Whether a measured try has settled by its own windows, from its ledger. What it would have done
// later is for its calibrated continuation to say (report/settled_arms.hpp).
#pragma once

#include "core/settling.hpp"
#include "experiments/evidence/database.hpp"
#include "experiments/evidence/import.hpp"

#include <string>

namespace retrystorm {

// The means of each of the run's windows: goodput by reply, requests open from their schedule to
// their end, and those that wait at the service.
WindowMeans window_means_from_ledger(Database& database, const TryKey& key, const Windows& windows);

// The settled window of one imported try; with a reason there is none, and [from, to) is where it
// would have been looked for.
struct MeasuredWindow {
  Instant from{}, to{};
  std::string reason;
};
MeasuredWindow settled_window_from_ledger(Database& database, const TryKey& key,
                                          const Scenario& scenario);

}  // namespace retrystorm
