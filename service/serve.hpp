// The bounded-queue HTTP service: `retrystorm serve`.
#pragma once

#include "core/net/address.hpp"
#include "core/scenario.hpp"
#include "service/limits.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace retrystorm {

struct ServeOptions {
  Scenario scenario;  // [service] and the seed; the useful queue in the metrics uses [client]
  Address listen{"127.0.0.1", 8080};
  std::optional<Address> metrics = Address{"127.0.0.1", 9101};
  std::string ledger;  // directory for arrivals-*.bin; empty: no ledger
  // Run token written into the ledger's header, and whose requests may ask for their work; 0: none.
  std::uint64_t token = 0;
  std::uint32_t threads = 1;
  ConnectionLimits limits;
  bool json = false;  // JSON lines on standard output instead of text
};

// Serves until SIGTERM or SIGINT. The first drains and gives exit code 0; a second stops at once
// and gives 130. Throws RunFailed when it cannot start.
//
// Standard output with `json`: first, at once, the line {"event": "listening", "address":
// "127.0.0.1:8080", "metrics": "127.0.0.1:9101"|null, "threads"}; at the end the line {"event":
// "stopped", "arrived", "completed", "refused", "refused_by_reason", "skipped", "unfinished",
// "abandoned_seen", "seen_later", "connections", "connections_over_cap", "connections_timed_out",
// "accept_errors", "connections_turned_away", "bad_requests", "effective_work_ms", "carry_limited",
// "cpu_seconds", "threads", "ledger_lost", "ledger_error", "ledger_sha256": {file: digest},
// "warnings"}.
int serve(const ServeOptions& options);

}  // namespace retrystorm
