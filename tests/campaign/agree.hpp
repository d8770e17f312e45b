// Whether engines that claim to be exact for a scenario say the same of it: each pair of answers
// without an approximation, as far as the two answer the same question.
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"

#include <span>
#include <string>
#include <vector>

namespace retrystorm::campaign {

// Where two of the answers part, each in a sentence.
std::vector<std::string> parted(const Scenario& scenario, std::span<const Tally> answers);

}  // namespace retrystorm::campaign
