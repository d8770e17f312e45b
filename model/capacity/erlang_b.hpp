// Erlang B: the share of Poisson arrivals that find every server busy and are lost. Holds for any
// distribution of the work (M/G/c/c), so it is also M/D/c/c and a concurrency limit without a
// queue.
#pragma once

#include <cstdint>

namespace retrystorm::capacity {

// Blocking probability, 0 to 1. `offered_erlangs` = arrival rate x mean work, at least 0;
// `servers` at least 0. O(servers).
// Source: Erlang 1917; the recursion 1/B_k = 1 + (k/a)/B_{k-1} (Jagerman 1974) never subtracts.
double erlang_b(double offered_erlangs, std::int64_t servers);

}  // namespace retrystorm::capacity
