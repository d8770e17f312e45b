// Where a run settles by an engine that computes means: nothing varies by chance, so there are no
// windows to judge, and its own [D, 2D) says whether [D/2, D) goes on.
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"

namespace retrystorm {

// `run` answered with its settled window judged: kept if the continuation agrees with it within a
// hundredth of the offered rate, replaced by [D/2, D) of the first doubled length D that agrees, or
// emptied, with the reason.
Tally settle_without_chance(Tally (*run)(const Scenario&, bool approximate),
                            const Scenario& scenario, bool approximate);

}  // namespace retrystorm
