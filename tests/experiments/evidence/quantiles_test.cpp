// Exact quantiles of durations, whatever numbers a ledger holds.
#include "experiments/evidence/quantiles.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

TEST(ExactQuantiles, AreTheValuesAtTheirRanks) {
  const Quantiles q = exact_quantiles({3'000'000, 1'000'000, 2'000'000});
  EXPECT_EQ(q.mean, 2);
  EXPECT_EQ(q.p50, 2);
  EXPECT_EQ(q.max, 3);
}

// One flipped bit makes such a number.
TEST(ExactQuantiles, HaveAMeanOfNumbersWhoseSumIsBeyondTheirs) {
  const Quantiles q = exact_quantiles({INT64_MAX, INT64_MAX, INT64_MAX});
  EXPECT_NEAR(q.mean.value_or(0), static_cast<double>(INT64_MAX) / 1e6, 1);
}

}  // namespace
}  // namespace retrystorm
