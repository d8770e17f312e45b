// What single requests went through, from a run's ledger: attempts, waits, work. Pictures of it
// stand in report/trace/.
#pragma once

#include "core/outcome.hpp"
#include "experiments/evidence/database.hpp"
#include "experiments/evidence/try_key.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

// The service's side of an attempt. Times as in the ledger: ns from the arm's start.
struct TracedArrival {
  std::int64_t arrived = 0;
  std::optional<std::int64_t> picked, started, finished, replied;
  std::string disposition, reason, seen_gone;
};

struct TracedAttempt {
  std::int64_t attempt = 0;
  std::int64_t sent = 0;
  std::optional<std::int64_t> ended;  // nothing for an unfinished one
  std::string outcome;
  std::int64_t status = 0;  // HTTP status, 0 without one
  bool reused = false;      // made on a kept connection
  std::optional<TracedArrival> arrival;
};

struct TracedRequest {
  std::int64_t request = 0;
  std::int64_t scheduled = 0;
  std::optional<std::int64_t> finished;
  std::string outcome, reason;
  std::vector<TracedAttempt> attempts;

  // The last instant that anything of it is known to have happened at.
  std::int64_t last() const;
};

// One try's requests, in the order of their numbers; only `request`, if given.
std::vector<TracedRequest> trace_requests(Database& database, const TryKey& key,
                                          std::optional<std::int64_t> request);

// True if the attempt's reply was completed after its client had left.
bool was_abandoned(const TracedAttempt& attempt);

boost::json::value to_json(const TracedRequest& request);

// One try's requests for the trace.
struct TracedTry {
  TryKey key;
  std::int64_t workers = 0;
  std::vector<TracedRequest> requests;
};

}  // namespace retrystorm
