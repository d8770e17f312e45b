#include "core/policy/users.hpp"

#include "core/policy/arrivals.hpp"
#include "core/scenario.hpp"
#include "tests/instants.hpp"
#include "tests/seed.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

Scenario with_users(std::int64_t users, Duration think) {
  Scenario s;
  s.client.users = users;
  s.client.think = think;
  s.client.duration = 10s;
  return s;
}

TEST(Users, BeginSpreadOverAThinkTime) {
  UserLoop loop(with_users(7, 100ms), 0, 1);
  for (std::int64_t user = 0; user < 7; ++user) {
    EXPECT_EQ(loop.user(), user);
    EXPECT_EQ(loop.next(), instant_at(user * 100'000'000 / 7));
    loop.pop();
  }
  EXPECT_EQ(loop.next(), never) << "all wait";
}

TEST(Users, WithoutThinkTimeBeginAtOnceInTheirOrder) {
  UserLoop loop(with_users(5, 0ms), 0, 1);
  for (std::uint32_t user = 0; user < 5; ++user, loop.pop()) {
    EXPECT_EQ(loop.user(), user);
    EXPECT_EQ(loop.next(), at(0s));
  }
}

TEST(Users, AskAgainWhenTheyHaveThought) {
  UserLoop loop(with_users(3, 30ms), 0, 1);
  for (int i = 0; i < 3; ++i) loop.pop();
  loop.ended(2, at(40ms));
  loop.ended(0, at(40ms));
  loop.ended(1, at(35ms));
  EXPECT_EQ(loop.user(), 1U);
  EXPECT_EQ(loop.next(), at(65ms));
  loop.pop();
  EXPECT_EQ(loop.user(), 0U) << "at one instant the lowest number first";
  EXPECT_EQ(loop.next(), at(70ms));
  loop.pop();
  EXPECT_EQ(loop.user(), 2U);
  loop.pop();
  EXPECT_EQ(loop.next(), never);
}

TEST(Users, DoNotAskOnceTheDurationIsOver) {
  UserLoop loop(with_users(1, 30ms), 0, 1);
  loop.pop();
  loop.ended(0, at(9969ms));
  EXPECT_EQ(loop.next(), at(9999ms));
  loop.pop();
  loop.ended(0, at(9970ms));
  EXPECT_EQ(loop.next(), never);
}

TEST(Users, SharedAmongThreadsAreTogetherAllOfThem) {
  Scenario s = with_users(10, 50ms);
  s.client.think_shape = ThinkShape::exponential;
  UserLoop whole(s, 0, 1);
  std::vector<std::pair<Instant, std::uint32_t>> all, parts;
  const auto walk = [](UserLoop loop, auto& list) {
    for (int i = 0; i < 60 && loop.next() != never; ++i) {
      const Instant now = loop.next();
      const std::uint32_t user = loop.user();
      list.emplace_back(now, user);
      loop.pop();
      if (now < at(150ms)) loop.ended(user, now + 3ms);
    }
  };
  walk(whole, all);
  for (std::uint64_t k = 0; k < 3; ++k) walk(UserLoop(s, k, 3), parts);
  std::sort(parts.begin(), parts.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(parts, all);
}

TEST(Users, ThinkAsLongAsTheLawSays) {
  const Seed seed(1);
  Scenario s = with_users(1, 50ms);
  s.client.duration = 24h;
  s.client.think_shape = ThinkShape::exponential;
  s.seed = seed.value<std::int64_t>();
  UserLoop loop(s, 0, 1);
  double sum = 0, squares = 0;
  constexpr int n = 100'000;
  Instant now{};
  for (int i = 0; i < n; ++i) {
    loop.pop();
    loop.ended(0, now);
    const double think = seconds(loop.next() - now);
    now = loop.next();
    sum += think;
    squares += think * think;
  }
  const double mean = sum / n;
  EXPECT_NEAR(mean, 0.05, 5 * 0.05 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n - mean * mean) / mean, 1, 0.02);
}

TEST(Arrivals, OfUsersNumberTheirRequestsApartInEachThread) {
  const Scenario s = with_users(6, 10ms);
  Arrivals a(s, {1, 3});
  EXPECT_EQ(a.index(), 1U);
  EXPECT_EQ(a.user(), 1U);
  EXPECT_EQ(a.remaining(), std::nullopt) << "it depends on the service";
  a.pop();
  EXPECT_EQ(a.index(), 4U);
  EXPECT_EQ(a.user(), 4U);
  a.pop();
  EXPECT_EQ(a.next(), never);
  a.ended(4, at(20ms));
  EXPECT_EQ(a.next(), at(30ms));
  EXPECT_EQ(a.index(), 7U);
}

}  // namespace
}  // namespace retrystorm
