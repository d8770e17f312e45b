// The few fields that matter: a failing case with every line left out that it still fails without.
#pragma once

#include "tests/campaign/case.hpp"

#include <functional>

namespace retrystorm::campaign {

// Greedy, from the last line to the first, and again until nothing more can go. `fails` is asked of
// a case with one line less.
Case shrink(Case c, const std::function<bool(const Case&)>& fails);

}  // namespace retrystorm::campaign
