// Engines that answer the same scenario and do not say the same: which do, and why.
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"

#include <span>
#include <string>
#include <vector>

namespace retrystorm {

// One sentence for each answer whose settled goodput is off the first one's by more than a
// hundredth of the load, a count or two of its window and twice the spread over seeds. Answers
// without a settled goodput are not compared.
std::vector<std::string> disagreements(const Scenario& scenario, std::span<const Tally> answers);

}  // namespace retrystorm
