// Where a simulated run settles, by its windows and its continuation, and the rates there.
#pragma once

#include "core/scenario.hpp"
#include "core/settling.hpp"
#include "core/tally.hpp"
#include "model/simulate/simulate.hpp"

namespace retrystorm {

// What a continuation may cost: attempts over all seeds. The first one is made whatever it costs:
// whoever asked for a run can wait for two more of its length.
inline constexpr double most_continued_attempts = 5e6;

// What simulate_settled() takes, over so many seeds: the runs, their continuations of twice their
// length, and what those may be carried on to.
Cost settled_cost(const Scenario& scenario, int seeds);

// As simulate(), with the settled window judged: `settled` holds the rates of the run's own window,
// or of [D/2, D) for the first doubled length D that its continuation agrees with, or nothing, and
// `settling` says which. A run with recorded arrivals or a horizon cannot be carried on: it is
// judged by its windows alone, and its `settling.note` says so.
Tally simulate_settled(const Scenario& scenario, const SimulateOptions& options = {},
                       double most_attempts = most_continued_attempts);

// The same over seeds seed, seed + 1, ... as simulate_band(): the windows' means over the seeds are
// judged.
Tally simulate_settled_band(const Scenario& scenario, int seeds,
                            const SimulateOptions& options = {},
                            double most_attempts = most_continued_attempts);

// Where the scenario settles, and its goodput there with the standard error; `goodput_per_s` means
// nothing where `settling` has a reason.
struct SettledGoodput {
  Settling settling;
  BatchMean goodput_per_s;
};
SettledGoodput settled_goodput(const Scenario& scenario, int seeds,
                               const SimulateOptions& options = {},
                               double most_attempts = most_continued_attempts);

}  // namespace retrystorm
