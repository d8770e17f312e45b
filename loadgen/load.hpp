// The load generator: `retrystorm load`.
#pragma once

#include "core/net/url.hpp"
#include "core/scenario.hpp"
#include "core/trust_limits.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace retrystorm {

struct LoadOptions {
  Scenario scenario;  // [client], seed, settle, drain_limit
  Url target;
  bool allow_remote = false;       // load a target that is not loopback
  std::optional<Address> metrics;  // none: no metrics endpoint
  std::string ledger;         // directory for attempts-*.bin and requests-*.bin; empty: no ledger
  std::uint64_t token = 0;    // run token for the id header; 0: a fresh one
  std::uint32_t threads = 0;  // 0: half the cores, at least one
  // max_in_flight is as the machine allows, not as it was asked for.
  bool machine_caps_in_flight = false;
  // Millionths of the offered requests that must succeed; fewer is a failure.
  std::optional<std::int64_t> min_goodput_ppm;
  TrustLimits limits;          // what the load is judged by: those of the generator
  bool allow_failure = false;  // that nothing succeeds is no failure
  Duration spin{};             // busy-wait this long before each send instead of sleeping to it
  bool json = false;           // one JSON document on standard output, no progress line
  bool hold = false;           // after the report, serve the final metrics until a signal comes
};

// Looks the target's name up, offers the scenario's requests and waits for what is in flight. First
// SIGINT/SIGTERM ends sending, drains and reports; a second leaves at once. Returns an exit code;
// throws InvalidInput (remote or unknown target) or RunFailed.
//
// Standard output with `json`: {"target", "address", "token", "scenario", "threads", "interrupted",
// "planned", "generator_limited", "reasons": [..], "failure", "limits": {..}, "failed": [..],
// "tally": Tally, "target_rate_per_s", "scheduled", "sent", "late", "late_share", "send_lag_ms": Q,
// "status": {code: count}, "gave_up": {reason: count}, "unsent": {..}, "connect_error": {..},
// "io_error":
// {..}, "connections", "connect_call_ms": Q, "slow_connects", "most_in_flight", "origin_ns",
// "wall_seconds", "cpu_seconds", "ledger_lost", "ledger_error", "ledger_sha256": {file: digest},
// "warnings": [..]}. Only the client's counts of the tally are answered; those of the service are
// null.
int load(const LoadOptions& options);

}  // namespace retrystorm
