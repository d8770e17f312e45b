// The books of an answer: the identities of docs/semantics.md and what else must hold of any tally,
// said a second time here, apart from the program's own judgement of itself.
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"

#include <string>
#include <vector>

namespace retrystorm::campaign {

// What does not hold, each in a sentence; empty when the books balance. What is not answered is not
// judged.
std::vector<std::string> wrong_in_books(const Tally& tally, const Scenario& scenario);

}  // namespace retrystorm::campaign
