// Two tallies that must agree to the last count.
#pragma once

#include "core/figures.hpp"
#include "core/tally.hpp"

#include <gtest/gtest.h>

namespace retrystorm {

inline void expect_same_counts(const Tally& fluid, const Tally& simulated) {
  visit_counts(simulated.counts, [&](std::string_view name, const Count& expected) {
    visit_counts(fluid.counts, [&](std::string_view mine, const Count& count) {
      if (mine == name) {
        EXPECT_EQ(count, expected) << name;
      }
    });
  });
}

}  // namespace retrystorm
