// Whether a load has settled, as far as a client can tell: by the windows of its run alone
// (core/settling.hpp). `run`, which sees both sides, also asks the queue and a simulation carried
// on.
#pragma once

#include "loadgen/result.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace retrystorm::loadgen {

// The settled windows [from, to) of booked_windows(), or why there are none.
struct SettledWindows {
  std::size_t from = 0, to = 0;
  std::string reason;
};
SettledWindows settled_windows(const Result& result);

// The client's rates of them, from the books of all or of a class, with where they lie; without
// them only the reason.
void answer_settled(Tally& tally, const Observed& seen, const SettledWindows& settled,
                    const Scenario& scenario);

}  // namespace retrystorm::loadgen
