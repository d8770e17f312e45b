#include "core/policy/backoff.hpp"

#include "tests/seed.hpp"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

std::vector<Duration> delays(const Scenario& s, std::uint64_t member, std::uint32_t retries) {
  Backoff backoff(s, member);
  std::vector<Duration> list;
  for (std::uint32_t n = 1; n <= retries; ++n) list.push_back(backoff.before_retry(n));
  return list;
}

TEST(Backoff, ThatIsConstantIsTheSameBeforeEachRetry) {
  Scenario s;
  s.client.backoff = 30ms;
  EXPECT_THAT(delays(s, 0, 3), testing::ElementsAre(30ms, 30ms, 30ms));
}

TEST(Backoff, ThatIsExponentialGrowsByItsFactorUpToItsCap) {
  Scenario s;
  s.client.backoff = 100ms;
  s.client.backoff_shape = ExponentialBackoff{3, 1s};
  EXPECT_THAT(delays(s, 0, 5), testing::ElementsAre(100ms, 300ms, 900ms, 1s, 1s));
  s.client.backoff = 1h;
  EXPECT_THAT(delays(s, 0, 1000), testing::Each(Duration(1s))) << "whatever the power";
}

TEST(Backoff, WithFullJitterIsDrawnEvenlyFromNothingToTheDelay) {
  const Seed seed(3);
  Scenario s;
  s.seed = seed.value<std::int64_t>();
  s.client.backoff = 100ms;
  s.client.jitter = FullJitter{};
  const auto drawn = delays(s, 0, 20'000);
  double sum = 0;
  for (const Duration d : drawn) {
    ASSERT_GE(d, 0ms);
    ASSERT_LT(d, 100ms);
    sum += seconds(d);
  }
  // A uniform's standard deviation is its width / sqrt(12); five standard errors.
  EXPECT_NEAR(sum / 20'000, 0.05, 5 * 0.1 / 3.4641 / 141.42);
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
