// What single requests went through, from a run's ledger: attempts, waits, work. As a timeline for
// the terminal, as SVG, as JSON, and as trace events that standard viewers open.
#pragma once

#include "core/outcome.hpp"
#include "experiments/database.hpp"
#include "experiments/import.hpp"
#include "experiments/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

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

std::string trace_text(const TracedRequest& request, const TryKey& key, bool colour);
std::string trace_svg(const TracedRequest& request, const TryKey& key);
boost::json::value to_json(const TracedRequest& request);

// One try's requests for the trace.
struct TracedTry {
  TryKey key;
  std::int64_t workers = 0;
  std::vector<TracedRequest> requests;
};

// The Trace Event Format (JSON object form), which Perfetto, chrome://tracing and speedscope open:
// for each try a process for the clients (a track for each request in flight) and one for the
// service (a track for each worker and each waiting place), and the queue as a counter.
std::string trace_events(const std::vector<TracedTry>& tries);

}  // namespace retrystorm
