// Whether the load that a generator offered is the load that was asked for: the same judgement, in
// the same words, for the generator of itself and for the run that reads its ledger.
#pragma once

#include "core/reason.hpp"
#include "core/tally.hpp"
#include "core/trust_limits.hpp"
#include "core/units.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace retrystorm {

struct LoadOffered {
  std::uint64_t offered = 0;                 // requests
  std::uint64_t sent = 0;                    // of them, those whose first attempt was made
  std::uint64_t late = 0;                    // of these, those later than late_from() of the limits
  Count lag_p50_ms, lag_p99_ms, lag_max_ms;  // of first attempts; empty if none was made
  ByReason<std::uint64_t> unsent{};   // requests; under `none` those whose reason is not known
  ByReason<std::uint64_t> gave_up{};  // requests; of a shortage: a retry that it denied
};

// A first attempt sent later than this is late.
constexpr Duration late_from(const TrustLimits& limits) {
  return from_milliseconds(limits.send_lag_p99_ms);
}

// How many of so many first attempts may be late: a hundredth, and one more. A 99th percentile of a
// few hundred hangs on a single one, and one that is late is no evidence of more.
constexpr std::uint64_t most_late(std::uint64_t sent) {
  return sent / 100 + 1;
}

// Requests that no attempt was made for: kept back by the client's own policy, or for a shortage of
// the generator's.
std::uint64_t kept_back(const LoadOffered& load);
std::uint64_t unsent_for_shortage(const LoadOffered& load);
// Retries denied for such a shortage.
std::uint64_t retries_denied(const LoadOffered& load);

// Each limit of the load that is not kept, as a text for people; empty where the load is what was
// asked for. Any shortage breaks it, and so does a lag that nobody saw.
std::vector<std::string> broken_load_limits(const LoadOffered& load, const TrustLimits& limits);

}  // namespace retrystorm
