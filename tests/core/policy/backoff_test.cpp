#include "core/policy/backoff.hpp"

#include "tests/seed.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

std::vector<Duration> delays(const Scenario& s, std::uint64_t member, std::uint32_t retries) {
  Backoff backoff(s, member);
  std::vector<Duration> list;
  Duration previous{};
  for (std::uint32_t n = 1; n <= retries; ++n) {
    list.push_back(previous = backoff.before_retry(n, previous));
  }
  return list;
}

// The first delays of so many requests, as a jitter draws them.
std::vector<Duration> first_delays(Scenario s, std::int64_t seed, int requests) {
  s.seed = seed;
  Backoff backoff(s, 0);
  std::vector<Duration> list;
  for (int i = 0; i < requests; ++i) list.push_back(backoff.before_retry(1, Duration::zero()));
  return list;
}

// Evenly drawn from [low, high): none outside, and as many below each tenth as there should be,
// within five standard errors.
void expect_even(const std::vector<Duration>& drawn, Duration low, Duration high) {
  const auto n = static_cast<double>(drawn.size());
  for (const Duration d : drawn) {
    ASSERT_GE(d, low);
    ASSERT_LT(d, high);
  }
  for (int tenth = 1; tenth < 10; ++tenth) {
    const Duration bound = low + (high - low) * tenth / 10;
    const auto below =
        std::count_if(drawn.begin(), drawn.end(), [&](Duration d) { return d < bound; });
    const double p = tenth / 10.0;
    EXPECT_NEAR(static_cast<double>(below) / n, p, 5 * std::sqrt(p * (1 - p) / n)) << tenth;
  }
}

TEST(Backoff, ThatIsConstantIsTheSameBeforeEachRetry) {
  Scenario s;
  s.client.backoff = 30ms;
  EXPECT_THAT(delays(s, 0, 3), testing::ElementsAre(30ms, 30ms, 30ms));
}

TEST(Backoff, ThatIsExponentialGrowsByItsFactorUpToItsCap) {
  Scenario s;
  s.client.backoff = 100ms;
  s.client.backoff_shape = ExponentialBackoff{3};
  s.client.backoff_cap = 1s;
  EXPECT_THAT(delays(s, 0, 5), testing::ElementsAre(100ms, 300ms, 900ms, 1s, 1s));
  s.client.backoff = 1h;
  EXPECT_THAT(delays(s, 0, 1000), testing::Each(Duration(1s))) << "whatever the power";
}

TEST(Backoff, ThatIsLinearGrowsByItselfUpToItsCap) {
  Scenario s;
  s.client.backoff = 30ms;
  s.client.backoff_shape = LinearBackoff{};
  s.client.backoff_cap = 100ms;
  EXPECT_THAT(delays(s, 0, 5), testing::ElementsAre(30ms, 60ms, 90ms, 100ms, 100ms));
  s.client.backoff = 1h;
  EXPECT_THAT(delays(s, 0, 1000), testing::Each(Duration(100ms))) << "whatever the number";
}

TEST(Backoff, ThatIsConstantHasNoCap) {
  Scenario s;
  s.client.backoff = 30ms;
  s.client.backoff_cap = 10ms;
  EXPECT_THAT(delays(s, 0, 2), testing::ElementsAre(30ms, 30ms));
}

TEST(Backoff, WithFullJitterIsDrawnEvenlyFromNothingToTheDelay) {
  const Seed seed(3);
  Scenario s;
  s.client.backoff = 100ms;
  s.client.jitter = FullJitter{};
  expect_even(first_delays(s, seed.value<std::int64_t>(), 20'000), 0ms, 100ms);
}

TEST(Backoff, WithEqualJitterIsDrawnEvenlyFromTheSecondHalfOfTheDelay) {
  const Seed seed(4);
  Scenario s;
  s.client.backoff = 100ms;
  s.client.jitter = EqualJitter{};
  expect_even(first_delays(s, seed.value<std::int64_t>(), 20'000), 50ms, 100ms);
}

TEST(Backoff, WithAShareOfJitterIsDrawnEvenlyFromBothSidesOfTheDelay) {
  const Seed seed(5);
  Scenario s;
  s.client.backoff = 100ms;
  s.client.jitter = ShareJitter{0.3};
  expect_even(first_delays(s, seed.value<std::int64_t>(), 20'000), 70ms, 130ms);
  s.client.jitter = ShareJitter{0};
  EXPECT_THAT(delays(s, 0, 3), testing::Each(Duration(100ms)));
}

TEST(Backoff, IsJitteredAfterItsCap) {
  const Seed seed(6);
  Scenario s;
  s.client.backoff = 100ms;
  s.client.backoff_shape = ExponentialBackoff{};
  s.client.backoff_cap = 40ms;
  s.client.jitter = ShareJitter{0.5};
  expect_even(first_delays(s, seed.value<std::int64_t>(), 20'000), 20ms, 60ms);
}

TEST(Backoff, WithDecorrelatedJitterIsDrawnFirstFromTheBaseToThreeTimesOfIt) {
  const Seed seed(7);
  Scenario s;
  s.client.backoff = 100ms;
  s.client.jitter = DecorrelatedJitter{};
  expect_even(first_delays(s, seed.value<std::int64_t>(), 20'000), 100ms, 300ms);
}

TEST(Backoff, WithDecorrelatedJitterIsDrawnUpToThreeTimesTheDelayBefore) {
  const Seed seed(8);
  Scenario s;
  s.seed = seed.value<std::int64_t>();
  s.client.backoff = 100ms;
  s.client.jitter = DecorrelatedJitter{};
  Backoff backoff(s, 0);
  std::vector<Duration> drawn;
  for (int i = 0; i < 20'000; ++i) drawn.push_back(backoff.before_retry(2, 200ms));
  expect_even(drawn, 100ms, 600ms);
  // Beyond the cap all of it is the cap: of [100 ms, 600 ms) four fifths.
  s.client.backoff_cap = 200ms;
  Backoff capped(s, 0);
  int at_cap = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Duration d = capped.before_retry(2, 200ms);
    ASSERT_LE(d, 200ms);
    if (d == 200ms) ++at_cap;
  }
  EXPECT_NEAR(at_cap / 20'000.0, 0.8, 5 * std::sqrt(0.8 * 0.2 / 20'000));
}

TEST(Backoff, WithDecorrelatedJitterIsTheCapWhereThatIsBelowTheBase) {
  Scenario s;
  s.client.backoff = 100ms;
  s.client.backoff_cap = 30ms;
  s.client.jitter = DecorrelatedJitter{};
  EXPECT_THAT(delays(s, 0, 5), testing::Each(Duration(30ms)));
}

TEST(Backoff, OfTwoMembersIsDrawnFromTwoStreams) {
  Scenario s;
  s.client.backoff = 100ms;
  s.client.jitter = FullJitter{};
  EXPECT_EQ(delays(s, 1, 5), delays(s, 1, 5));
  EXPECT_NE(delays(s, 0, 5), delays(s, 1, 5));
}

}  // namespace
}  // namespace retrystorm
