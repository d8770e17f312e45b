// The error budget of a measured run, from the requests in its ledger: one budget for each try of
// each arm. The arithmetic is model/calculators/budget.hpp, the text for people in report/.
#pragma once

#include "core/units.hpp"
#include "model/calculators/budget.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

struct TryBudget {
  std::string arm;
  std::int64_t try_number = 0;
  bool trusted = false;
  Budget budget;
  // What the bad ones were.
  std::int64_t slow = 0;  // succeeded, but beyond the threshold
  std::int64_t gave_up = 0;
  std::int64_t unfinished = 0;  // had no answer when the run ended
  std::int64_t kept_back = 0;   // unsent, by a policy of the client's
  // Offered but not eligible: the generator ran short and could not send them.
  std::int64_t unsent = 0;
};

struct RunBudget {
  std::string directory;
  std::int64_t target_ppm = 0;
  Duration latency{};
  std::vector<TryBudget> tries;  // by arm, as the run had them, then by try
};

// Reads DIR/run.sqlite. A request is eligible unless unsent for a shortage of the generator's
// (UnsentKind); it is good if it succeeded within `latency` of its schedule. Throws InvalidInput if
// there is no such database or it is no ledger.
RunBudget budget_of_run(const std::string& directory, std::int64_t target_ppm, Duration latency);

boost::json::value to_json(const RunBudget& run);

// 3 if an arm has no trusted try; else 1 if a trusted try has overspent; else 0.
int exit_code_of(const RunBudget& run);

}  // namespace retrystorm
