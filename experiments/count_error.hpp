// How far a prediction is from a measurement, count by count.
#pragma once

#include "core/tally.hpp"

#include <string>
#include <vector>

namespace retrystorm {

struct CountError {
  std::string count;        // as visit_counts() names it
  Count percent;            // 100 x (predicted - measured) / measured; empty where measured is 0
  Count share_of_attempts;  // (predicted - measured) / measured attempts: 40 of 26,000 is little,
                            // 40 of 240 is not
};

// One for each count that both have.
std::vector<CountError> count_errors(const Counts& predicted, const Counts& measured);

// The largest |share_of_attempts|; nothing without counts.
std::optional<CountError> worst_error(const Counts& predicted, const Counts& measured);

}  // namespace retrystorm
