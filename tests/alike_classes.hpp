// The clients of a scenario told apart into classes of these shares, all alike: what a test changes
// in one of them it says.
#pragma once

#include "core/scenario.hpp"

#include <initializer_list>
#include <utility>

namespace retrystorm {

inline Scenario in_classes(Scenario s, std::initializer_list<double> shares) {
  for (const double share : shares) s.classes.push_back({share, s.client});
  return s;
}

}  // namespace retrystorm
