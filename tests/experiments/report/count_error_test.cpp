// How a prediction is held against a measurement, and how both are written.
#include "experiments/report/count_error.hpp"

#include "core/number_text.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

Counts some_counts() {
  Counts c;
  c.attempts = 2000;
  c.succeeded = 100;
  c.rejected = 0;
  return c;
}

TEST(CountErrors, AreInPercentOfTheCountAndInSharesOfAttempts) {
  Counts predicted = some_counts();
  predicted.succeeded = 110;
  predicted.rejected = 4;
  predicted.completed = 7;  // not measured
  const std::vector<CountError> errors = count_errors(predicted, some_counts());
  ASSERT_EQ(errors.size(), 3U);
  const auto at = [&](std::string_view name) {
    return *std::find_if(errors.begin(), errors.end(),
                         [&](const auto& e) { return e.count == name; });
  };
  EXPECT_EQ(at("succeeded").percent, 10);
  EXPECT_EQ(at("succeeded").share_of_attempts, 0.005);
  EXPECT_FALSE(at("rejected").percent) << "nothing to be a per cent of";
  EXPECT_EQ(at("rejected").share_of_attempts, 0.002);
  EXPECT_EQ(worst_error(predicted, some_counts())->count, "succeeded");
  EXPECT_FALSE(worst_error(Counts{}, Counts{}));
}

TEST(Band, SaysWhichCountsLieWithinIt) {
  Tally predicted;
  predicted.spread["counts.attempts"] = {2000, 1, 1999, 2001};
  predicted.spread["counts.succeeded"] = {90, 1, 88, 92};
  const BandVerdict verdict = against_band(predicted, some_counts());
  EXPECT_EQ(verdict.judged, 2U);
  EXPECT_EQ(verdict.within, 1U);
  EXPECT_THAT(verdict.outside, testing::ElementsAre("succeeded: 100 is not within 88 to 92"));
}

TEST(Numbers, ReadAsPeopleWriteThem) {
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-1234.5), "-1,234.50");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(count_text(std::nullopt), "-");
  EXPECT_EQ(rate_text(78.461), "78.5");
  EXPECT_EQ(rate_text(1000.4), "1,000");
  EXPECT_EQ(signed_percent(0.0003), "+0.03%");
  EXPECT_EQ(signed_percent(0), "0");
}

}  // namespace
}  // namespace retrystorm
