// The Tally of a measured arm, from the tables of its ledger: exact counts, exact quantiles.
#pragma once

#include "core/tally.hpp"
#include "experiments/evidence/import.hpp"
#include "experiments/evidence/settled_from_ledger.hpp"

namespace retrystorm {

// The successes outside the settled window: a whole-run goodput may be nothing else.
struct Opening {
  Count seconds;          // until the settled window begins
  Count succeeded;        // requests answered in it
  Count last_success_ms;  // when the last of them was answered
  Count after_sending;    // requests answered when sending had ended and the load was gone
};

// The tally of one imported try, with the rates of that window as the settled ones, if it is
// settled; with one of each class of clients if there are several. What is known of no class,
// because the records of its request were lost, counts in the whole alone.
Tally tally_from_ledger(Database& database, const TryKey& key, const Scenario& scenario,
                        const MeasuredWindow& window);

// The same with the window that its own windows find.
Tally tally_from_ledger(Database& database, const TryKey& key, const Scenario& scenario);

Opening opening_from_ledger(Database& database, const TryKey& key, const MeasuredWindow& window);

}  // namespace retrystorm
