// What the machine sets for a run: how many attempts may be in flight, how many threads are used,
// and what about it would spoil the measurement.
#pragma once

#include "loadgen/load.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace retrystorm::loadgen {

// Attempts in flight that the descriptor limit and the local ports allow, with a reserve; `ports`
// may be 0 (unknown).
std::int64_t most_in_flight(std::uint64_t descriptors, std::uint64_t ports);

// `options` with what was left open decided: token, threads, max_in_flight. Raises the descriptor
// limit. Throws InvalidInput for a target that is not loopback, unless that is allowed.
LoadOptions resolve(LoadOptions options);

// Settings of the machine that many closed connections would run into.
std::vector<std::string> machine_warnings(std::uint64_t ports, bool time_wait_reuse);

}  // namespace retrystorm::loadgen
