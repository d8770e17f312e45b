#include "model/oncall/relations.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace retrystorm::oncall {
namespace {

constexpr Constants published;

Conditions at(double requests_per_s) {
  Conditions now;
  now.requests_per_s = requests_per_s;
  return now;
}

TEST(Relations, OfTheOpeningAreThePublishedFiguresToTheLastDigit) {
  const Load load = load_of(published, at(1125));
  // r = 1125/20000, rT = 3.375, hit = 3.375/4.375 = 27/35.
  EXPECT_DOUBLE_EQ(load.hit_rate, 27.0 / 35);
  // 1125 x 3 x 8/35 = 771.43 queries/s of 4,000.
  EXPECT_NEAR(load.database_utilization, 0.19285714285714286, 1e-16);
  EXPECT_DOUBLE_EQ(load.query_time, 0.005 / (1 - 27.0 / 140));
  EXPECT_DOUBLE_EQ(load.service_time, 0.07424778761061948);
  EXPECT_DOUBLE_EQ(load.busy_workers, 83.52876106194692);
  EXPECT_DOUBLE_EQ(load.utilization, 0.5220547566371683);
  EXPECT_EQ(load.error_rate, 0);
  EXPECT_DOUBLE_EQ(load.p99, 0.34192369788000090) << "S ln 100; hardly anybody waits";
}

TEST(Relations, NearTheLimitHaveTheErlangTail) {
  // From a sum of the state probabilities, computed elsewhere.
  const Load load = load_of(published, at(2150));
  EXPECT_NEAR(load.busy_workers, 156.02462526766598, 1e-9);
  EXPECT_NEAR(load.timeouts / 1.7371028986694763e-48, 1, 1e-9);
  EXPECT_NEAR(load.p99, 0.4107494273451157, 1e-12);
}

TEST(Relations, BeyondTheLimitFailWhatNoWorkerCanServe) {
  const Load load = load_of(published, at(2553.2522832721047));
  EXPECT_NEAR(load.busy_workers, 184.40591331316372, 1e-9);
  EXPECT_NEAR(load.timeouts, 1 - 160 / 184.40591331316372, 1e-12);
  EXPECT_EQ(load.utilization, 1) << "shown capped";
  EXPECT_EQ(load.p99, 2) << "no client waits longer";
}

TEST(Database, NeverTakesLongerThanItsLimit) {
  Conditions now = at(1250);
  now.warm = 0;
  // 3,750 of 4,000 queries/s: 5 ms / 0.0625.
  EXPECT_NEAR(load_of(published, now).query_time, 0.080, 1e-15);
  now.requests_per_s = 0.98 * 4000 / 3;
  EXPECT_NEAR(load_of(published, now).query_time, 0.250, 1e-12) << "98 %: just there";
  now.requests_per_s = 0.9801 * 4000 / 3;
  EXPECT_EQ(load_of(published, now).query_time, 0.250);
  now.requests_per_s = 1250;
  now.warm_up = true;
  const Load asked_too_much = load_of(published, now);
  EXPECT_NEAR(asked_too_much.database_utilization, 1.0875, 1e-12) << "3,750 + 600 of 4,000";
  EXPECT_EQ(asked_too_much.query_time, 0.250);
  EXPECT_NEAR(asked_too_much.service_time, 0.070 + 3 * 0.250, 1e-12);
}

TEST(HeavyFeature, CostsTwentyMillisecondsAndAQuery) {
  Conditions now = at(1125);
  now.recommendations = 0;
  const Load light = load_of(published, now);
  EXPECT_NEAR(light.database_per_s, 1125 * 2 * 8.0 / 35, 1e-9);
  EXPECT_NEAR(light.service_time, 0.050 + 2 * 8.0 / 35 * light.query_time, 1e-15);
}

TEST(BadBuild, AddsErrorsAndMultipliesTheWork) {
  Conditions now = at(1000);
  const double good = load_of(published, now).service_time;
  now.bad_share = 1;
  const Load bad = load_of(published, now);
  EXPECT_DOUBLE_EQ(bad.error_rate, 0.05);
  EXPECT_NEAR(bad.service_time - good, 0.25 * 0.070, 1e-15);
  now.bad_share = 0.2;
  EXPECT_DOUBLE_EQ(load_of(published, now).error_rate, 0.01);
}

TEST(Shedding, TakesTrafficOffEverythingBehindTheLoadBalancer) {
  Conditions now = at(1000);
  now.shed_share = 0.3;
  EXPECT_DOUBLE_EQ(load_of(published, now).served_per_s, 700);
  EXPECT_DOUBLE_EQ(load_of(published, now).hit_rate, load_of(published, at(700)).hit_rate);
  EXPECT_DOUBLE_EQ(load_of(published, now).service_time, load_of(published, at(700)).service_time);
}

TEST(MeanCachedAge, IsHalfTheTtl) {
  EXPECT_EQ(mean_cached_age(60), 30);
  EXPECT_EQ(mean_cached_age(90), 45);
}

TEST(DailyTraffic, PeaksAtNoon) {
  EXPECT_DOUBLE_EQ(daily_traffic(published, 8 * 60), 1125);
  EXPECT_DOUBLE_EQ(daily_traffic(published, 12 * 60), 1250);
  EXPECT_DOUBLE_EQ(daily_traffic(published, 6 * 60), 1000);
  EXPECT_DOUBLE_EQ(daily_traffic(published, 0), 750);
}

TEST(Relations, StayWithinTheirBoundsWhateverTheTraffic) {
  for (double per_s = 0; per_s < 1e6; per_s = 1.07 * per_s + 0.01) {
    for (const int serving : {1, 10, 40}) {
      for (const double warm : {0.0, 0.5, 1.0}) {
        Conditions now = at(per_s);
        now.serving = serving;
        now.warm = warm;
        now.bad_share = warm;
        const Load load = load_of(published, now);
        ASSERT_GE(load.error_rate, 0) << per_s;
        ASSERT_LE(load.error_rate, 1) << per_s;
        ASSERT_LE(load.utilization, 1) << per_s;
        ASSERT_LE(load.query_time, 0.250) << per_s;
        ASSERT_LE(load.p99, 2) << per_s;
        ASSERT_GE(load.p99, 0) << per_s;
        ASSERT_LE(load.hit_rate, warm) << per_s;
      }
    }
  }
}

// Traffic that meets the limit exactly, and its neighbours among the floating-point numbers.
TEST(Relations, AtTheLimitItselfHaveAnAnswer) {
  Constants c;
  c.query_time = c.query_time_limit = 1e-6;
  Conditions now = at(160 / 0.07);
  now.ttl = 86'400;
  for (int i = -2000; i <= 2000; ++i) {
    now.requests_per_s = 160 / 0.07 * (1 + i * 1e-9);
    const Load load = load_of(c, now);
    ASSERT_GE(load.error_rate, 0);
    ASSERT_LE(load.error_rate, 1);
  }
}

}  // namespace
}  // namespace retrystorm::oncall
