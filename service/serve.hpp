// The bounded-queue HTTP service: `retrystorm serve`.
#pragma once

#include "core/net/address.hpp"
#include "core/scenario.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace retrystorm {

struct ServeOptions {
  Scenario scenario;  // [service] and the seed; the useful queue in the metrics uses [client]
  Address listen{"127.0.0.1", 8080};
  std::optional<Address> metrics = Address{"127.0.0.1", 9101};
  std::string ledger;       // directory for arrivals-*.bin; empty: no ledger
  std::uint64_t token = 0;  // run token written into the ledger's header; 0: none
  std::uint32_t threads = 1;
  bool json = false;  // JSON lines on standard output instead of text
};

// Serves until SIGTERM or SIGINT (drains; a second signal stops at once). Returns an exit code;
// throws RunFailed when it cannot start.
//
// Standard output with `json`: first the line {"event": "listening", "address": "127.0.0.1:8080",
// "metrics": "127.0.0.1:9101"|null}, at the end the line {"event": "stopped", ...} with the counts.
int serve(const ServeOptions& options);

}  // namespace retrystorm
