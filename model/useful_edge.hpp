// Whether the end of the useful queue is a step, before which everybody is served in time and after
// which nobody, or a slope.
#pragma once

#include "core/scenario.hpp"

#include <string>

namespace retrystorm {

// A sentence on how gradual the edge is; empty where it is a step. Requires: the scenario's
// discipline has a useful queue.
//
// A slope with Poisson arrivals or varied work: how long a place waits is a matter of chance. With
// even arrivals and fixed work a place waits for whole rounds of work and a part of one, and that
// part hangs on how evenly the workers finish. In any work time each busy worker ends one request,
// so places up to k x workers, k = floor((timeout - round trip - work) / work), are always in time
// and those past (k + 1) x workers never. A step within one place where the patience lacks less to
// the next whole round than there is between two attempts.
std::string edge_words(const Scenario& scenario);

}  // namespace retrystorm
