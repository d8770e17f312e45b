// Where a run settles by an engine that computes means: nothing varies by chance, so there are no
// windows to judge, and its own [D, 2D) says whether [D/2, D) goes on.
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"
#include "model/effort.hpp"

namespace retrystorm {

// `run` answered with its settled window judged: kept if the continuation agrees with it within a
// hundredth of the offered rate, replaced by [D/2, D) of the first doubled length D that agrees, or
// emptied, with the reason.
// With a meter, a further continuation that costs more than a simulated one may, or than is left,
// is not made, and the reason says so.
using ComputedRun = Tally (*)(const Scenario&, bool approximate, Meter* meter);
using ComputedCost = Cost (*)(const Scenario&);
Tally settle_without_chance(ComputedRun run, ComputedCost cost, const Scenario& scenario,
                            bool approximate, Meter* meter = nullptr);

// What that takes: the run, the two that are always held against it, and its further continuations.
Cost cost_without_chance(ComputedCost cost, const Scenario& scenario);

}  // namespace retrystorm
