// The error budget of a measured run as a table for people: a row for each try of each arm.
#pragma once

#include "experiments/evidence/run_budget.hpp"

#include <string>

namespace retrystorm {

std::string budget_text(const RunBudget& run);

}  // namespace retrystorm
