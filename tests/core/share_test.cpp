#include "core/share.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

// 7, 14, 55 and 56 of 100 among them, where 0.01 x n x 100 in doubles is more than n.
TEST(Share, IsReachedByExactlyThatManyOfAHundred) {
  for (std::int64_t n = 0; n <= 100; ++n) {
    const std::int64_t share = n * 10'000;
    EXPECT_TRUE(reaches(n, 100, share)) << n;
    EXPECT_FALSE(reaches(n, 100, share + 1)) << n;
    EXPECT_EQ(ppm_of(n, 100), share);
    EXPECT_EQ(to_ppm(static_cast<double>(n) / 100), share);
  }
}

TEST(Share, OfRatesIsReachedWhateverTheirSecondsWere) {
  for (const double seconds : {3.0, 4.0, 6.7, 0.1}) {
    for (std::int64_t n = 1; n <= 100; ++n) {
      const double part = static_cast<double>(n) / seconds;
      const double whole = 100 / seconds;
      EXPECT_TRUE(rate_reaches(part, whole, n * 10'000)) << n << " in " << seconds;
      EXPECT_FALSE(rate_exceeds(part, whole, n * 10'000)) << n << " in " << seconds;
      EXPECT_FALSE(rate_reaches(part, whole, n * 10'000 + 1)) << n << " in " << seconds;
      EXPECT_TRUE(rate_exceeds(part, whole, n * 10'000 - 1)) << n << " in " << seconds;
    }
  }
}

TEST(Share, OfADifferenceIsKeptByExactlyThatMuch) {
  for (const double whole : {20.0, 0.1, 333.3, 1e6}) {
    for (std::int64_t n = 1; n <= 100; ++n) {
      for (const double sign : {-1.0, 1.0}) {
        const double part = whole * (100 + sign * static_cast<double>(n)) / 100;
        EXPECT_FALSE(off_by_more(part, whole, n * 10'000)) << n << " of " << whole;
        EXPECT_TRUE(off_by_more(part, whole, n * 10'000 - 1)) << n << " of " << whole;
      }
    }
  }
  EXPECT_TRUE(off_by_more(std::nan(""), 1, 10'000)) << "what is no number is not equal";
}

TEST(Share, IsWrittenExactlyAndNeverRoundedUpToAThreshold) {
  EXPECT_EQ(percent_text(999'000), "99.9");
  EXPECT_EQ(percent_text(250'001), "25.0001");
  EXPECT_EQ(percent_text(1'000'000), "100");
  EXPECT_EQ(percent_text(0), "0");
  EXPECT_EQ(percent_text(100'000), "10");
  EXPECT_EQ(percent_text(ppm_of(9'999'999, 10'000'000)), "99.9999");
}

}  // namespace
}  // namespace retrystorm
