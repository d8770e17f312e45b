#include "core/settling.hpp"

#include "tests/seed.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::vector<double> constant(std::size_t count, double value) {
  return std::vector<double>(count, value);
}

// Independent draws around `mean`.
std::vector<double> noise(std::size_t count, double mean, double sd, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> draw(mean, sd);
  std::vector<double> values(count);
  for (double& value : values) value = draw(random);
  return values;
}

TEST(Windows, AreAtLeastTheTimeoutTheWorkAndATenthOfASecond) {
  Scenario s;
  s.client.timeout = 20ms;
  EXPECT_EQ(least_window(s), 100ms);
  s.service.work = 150ms;
  EXPECT_EQ(least_window(s), 150ms);
  s.client.timeout = 250ms;
  EXPECT_EQ(least_window(s), 250ms);
}

TEST(Windows, DivideTheRunEvenly) {
  Scenario s;
  s.client.duration = 7s;
  s.client.timeout = 300ms;
  EXPECT_EQ(windows_of(s).count, 23U);
  EXPECT_EQ(windows_of(s).length, Duration(7s) / 23);
  s.client.timeout = 8s;
  EXPECT_EQ(windows_of(s).count, 0U) << "shorter than one";
}

TEST(Windows, NoneBeginsBeforeSettleAndTheFirstMayBeSettled) {
  Scenario s;  // 6 s in windows of 100 ms
  EXPECT_EQ(earliest_settled(s, windows_of(s)), 20U);
  s.settle = 2001ms;
  EXPECT_EQ(earliest_settled(s, windows_of(s)), 21U);
  s.settle = 0ms;
  EXPECT_EQ(earliest_settled(s, windows_of(s)), 0U);
}

TEST(Windows, FewerThanThirtyAreTooFewAndTheLengthThatIsEnoughIsSaid) {
  EXPECT_EQ(too_few_windows(30, 250ms), std::nullopt);
  EXPECT_EQ(too_few_windows(24, 250ms), "24 windows of 250ms are too few, 30 take 7.5s");
}

TEST(Opening, OfAStepEndsWithTheBatchOfTheStep) {
  for (const std::size_t step : {1U, 4U, 10U, 23U, 29U}) {
    std::vector<double> values = constant(60, 7);
    for (std::size_t i = 0; i < step; ++i) values[i] = 1000;
    EXPECT_EQ(end_of_opening(values), (step + 4) / 5 * 5) << step;
  }
}

TEST(Opening, ThatTakesMoreThanHalfShowsAsATrendOfTheRest) {
  std::vector<double> values = constant(60, 7);
  for (std::size_t i = 0; i < 34; ++i) values[i] = 1000;
  EXPECT_EQ(end_of_opening(values), 30U);
  EXPECT_EQ(settled_start({values, constant(60, 5), {}}, 20, 1000).reason, "goodput still falls");
}

TEST(Opening, IsNotThereInASeriesWithoutVariance) {
  EXPECT_EQ(end_of_opening(constant(60, 1200.0 / 7)), 0U);
  EXPECT_EQ(end_of_opening(constant(30, 0)), 0U);
}

TEST(Opening, OfADecayIsFoundAmidNoise) {
  for (const auto seed : seeds<std::uint64_t>(1, 50)) {
    const Seed shown(seed);
    std::vector<double> values = noise(200, 100, 2, shown.value());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += 200 * std::exp(-static_cast<double>(i) / 10);
    }
    EXPECT_GE(end_of_opening(values), 20U) << "27 are left of 200";
  }
}

TEST(Trend, OfARampIsSeenBothWays) {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(i);
  EXPECT_EQ(trend(values), 1);
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(trend(values), -1);
}

TEST(Trend, IsAbsentFromASeriesWithoutVarianceAndFromASwing) {
  EXPECT_EQ(trend(constant(40, 3)), 0);
  std::vector<double> swing;
  for (int i = 0; i < 60; ++i) swing.push_back(i % 6);
  EXPECT_EQ(trend(swing), 0);
}

// By hand: 7 values have 21 pairs and a variance of 44.3; S = 15 is 2.10 deviations less one, S =
// 13 is 1.80.
TEST(Trend, CountsPairsAsMannAndKendallDo) {
  EXPECT_EQ(trend(std::vector<double>{2, 1, 3, 5, 4, 7, 6}), 1);
  EXPECT_EQ(trend(std::vector<double>{3, 1, 2, 5, 4, 7, 6}), 0);
  EXPECT_EQ(trend(std::vector<double>{6, 7, 4, 5, 3, 1, 2}), -1);
}

TEST(Trend, IsClaimedOfNoiseInOneOfTwentySeries) {
  const Seed seed(7);
  int claimed = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    claimed += trend(noise(40, 0, 1, seed.value() * 10000 + i)) != 0;
  }
  EXPECT_NEAR(claimed, 100, 40);  // four standard deviations
}

TEST(Settled, BeginsWhereItMayAtTheEarliestOrLater) {
  const auto goodput = constant(60, 1000);
  EXPECT_EQ(settled_start({goodput, constant(60, 5), {}}, 20, 1000).window, 20U);
  std::vector<double> queue = constant(60, 100);
  for (std::size_t i = 0; i < 24; ++i) queue[i] = static_cast<double>(4 * i);
  EXPECT_EQ(settled_start({goodput, constant(60, 5), queue}, 20, 1000).window, 25U);
}

TEST(Settled, IsNotAQueueThatGrows) {
  std::vector<double> queue;
  for (int i = 0; i < 60; ++i) queue.push_back(i);
  const SettledStart start = settled_start({constant(60, 1000), constant(60, 5), queue}, 20, 1000);
  EXPECT_EQ(start.window, std::nullopt);
  EXPECT_THAT(start.reason, HasSubstr("queue"));
}

TEST(Settled, IsNotAGoodputThatFalls) {
  std::vector<double> goodput;
  for (int i = 0; i < 60; ++i) goodput.push_back(500 - 4 * i);
  const SettledStart start = settled_start({goodput, constant(60, 5), {}}, 20, 1000);
  EXPECT_EQ(start.window, std::nullopt);
  EXPECT_THAT(start.reason, HasSubstr("goodput"));
}

TEST(Settled, MayDriftByLessThanAHundredthOfTheLoad) {
  std::vector<double> goodput;
  for (int i = 0; i < 60; ++i) goodput.push_back(500 + 0.1 * i);
  EXPECT_TRUE(settled_start({goodput, constant(60, 5), {}}, 20, 1000).window);
}

TEST(BatchMean, HasTheErrorOfIndependentDraws) {
  const Seed seed(3);
  const BatchMean b = batch_mean(noise(2000, 50, 4, seed.value()));
  EXPECT_NEAR(b.mean, 50, 0.4);
  EXPECT_NEAR(b.error, 4 / std::sqrt(2000), 0.06);
}

TEST(BatchMean, HasNoErrorWithoutVariance) {
  EXPECT_EQ(batch_mean(constant(30, 5)).error, 0);
  EXPECT_EQ(batch_mean({}).mean, 0);
}

TEST(Means, AgreeWithinAShareOfTheLoadOrTwoErrors) {
  EXPECT_TRUE(means_agree({500, 0}, {509, 0}, 1000, 0.01));
  EXPECT_FALSE(means_agree({500, 0}, {511, 0}, 1000, 0.01));
  EXPECT_TRUE(means_agree({500, 6}, {519, 8}, 1000, 0.01)) << "two times 10";
  EXPECT_FALSE(means_agree({500, 6}, {521, 8}, 1000, 0.01));
}

}  // namespace
}  // namespace retrystorm
