// Minutes computed by hand: the traffic of a seed and what comes of it were worked out outside the
// program, from the published relations.
#include "model/oncall/step.hpp"

#include "model/oncall/relations.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace retrystorm::oncall {
namespace {

constexpr std::uint32_t seed = 7;

// The morning's minutes under a script, the opening first.
std::vector<Minute> play(Scenario scenario, int minutes, const std::vector<Action>& script = {},
                         const Constants& constants = {}) {
  const Day day = day_of(scenario, constants);
  Stepped now = opening(day, seed);
  std::vector<Minute> result{now.minute};
  for (int m = 1; m <= minutes; ++m) {
    std::vector<Action> due;
    for (const Action& action : script) {
      if (action.minute == m) due.push_back(action);
    }
    now = step(now.state, day, due);
    result.push_back(now.minute);
  }
  return result;
}

TEST(Opening, IsThePublishedStateToItsLastDigit) {
  for (const Scenario scenario : {Scenario::steady, Scenario::bad_deploy, Scenario::surge}) {
    const Minute m = opening(day_of(scenario, {}), seed).minute;
    EXPECT_EQ(m.minute, 0);
    EXPECT_EQ(m.clock, 8 * 60);
    EXPECT_EQ(m.requests_per_s, 1125);
    EXPECT_EQ(m.instances_serving, 10);
    EXPECT_EQ(m.instances_booting, 0);
    EXPECT_DOUBLE_EQ(m.hit_rate, 27.0 / 35);
    EXPECT_NEAR(m.hit_rate, 0.7714, 5e-5);
    EXPECT_DOUBLE_EQ(m.database_utilization, 27.0 / 140);
    EXPECT_NEAR(m.database_utilization, 0.1929, 5e-5);
    EXPECT_EQ(m.fleet_cost_per_hour, 4.00);
    EXPECT_EQ(m.cached_age_s, 30);
    EXPECT_EQ(m.shed_share, 0);
    EXPECT_EQ(m.bad_share, 0);
    EXPECT_EQ(m.recommendations_share, 1);
    EXPECT_EQ(m.burn_1h, 0);
    EXPECT_EQ(m.cost, 0);
    EXPECT_EQ(m.budget_left, scenario == Scenario::bad_deploy ? 0.20 : 1);
  }
}

TEST(SteadyMinute, IsComputedFromTheTrafficItDrew) {
  const Minute m = play(Scenario::steady, 1)[1];
  EXPECT_EQ(m.clock, 8 * 60 + 1);
  EXPECT_NEAR(m.requests_per_s, 1107.0858701583297, 1e-9);
  EXPECT_NEAR(m.hit_rate, 0.7685858862994097, 1e-12);
  EXPECT_NEAR(m.database_utilization, 0.19214647157485248, 1e-12);
  EXPECT_NEAR(m.service_ms, 74.29683300669088, 1e-9);
  EXPECT_NEAR(m.utilization, 0.514081087620128, 1e-12);
  EXPECT_NEAR(m.p99_ms, 342.14956027574883, 1e-9);
  EXPECT_EQ(m.error_rate, 0);
  EXPECT_NEAR(m.cost, 4.0 / 60, 1e-15);
  EXPECT_EQ(m.budget_left, 1);
}

TEST(BadDeploy, ReachesAllTrafficInFiveMinutesFromTenPastNine) {
  const std::vector<Minute> m = play(Scenario::bad_deploy, 80);
  EXPECT_EQ(m[69].bad_share, 0);
  EXPECT_EQ(m[70].clock, 9 * 60 + 10);
  EXPECT_NEAR(m[70].requests_per_s, 1189.3967303376787, 1e-9);
  EXPECT_DOUBLE_EQ(m[70].bad_share, 0.2);
  EXPECT_NEAR(m[70].error_rate, 0.01, 1e-15);
  EXPECT_NEAR(m[70].service_ms, 77.58036397268278, 1e-9) << "70 ms x 1.05 and the queries";
  EXPECT_NEAR(m[70].p99_ms, 357.2707791851034, 1e-9);
  EXPECT_EQ(m[74].bad_share, 1);
  EXPECT_NEAR(m[74].requests_per_s, 1203.9692479054859, 1e-9);
  EXPECT_NEAR(m[74].error_rate, 0.05, 1e-15);
  EXPECT_NEAR(m[74].service_ms, 91.54429221718177, 1e-9);
  EXPECT_NEAR(m[74].utilization * m[74].instances_serving * 16, 110.21651265076036, 1e-9);
}

TEST(BadDeploy, SpendsTheBudgetAtItsBurn) {
  const std::vector<Minute> m = play(Scenario::bad_deploy, 100);
  // Errors of 1, 2, 3, 4 and 5 % in the first five minutes: 15 % x minutes, then 5 % a minute.
  // Burn is errors / 0.1 %; a minute spends burn / 43,200 of the month's budget.
  EXPECT_NEAR(m[74].burn_1h, 150.0 / 60, 1e-9);
  EXPECT_NEAR(m[74].budget_left, 0.20 - 150.0 / 43'200, 1e-12);
  EXPECT_NEAR(m[84].burn_1h, (150.0 + 10 * 50) / 60, 1e-9);
  EXPECT_NEAR(m[84].budget_left, 0.20 - (150.0 + 10 * 50) / 43'200, 1e-12);
  EXPECT_FALSE(m[88].alert) << "(150 + 14 x 50)/60 = 14.17";
  EXPECT_TRUE(m[89].alert) << "(150 + 15 x 50)/60 = 15: above 14.4";
}

TEST(Rollback, PreparesForFiveMinutesBilledTwiceAndThenSwitches) {
  const std::vector<Minute> m = play(Scenario::bad_deploy, 90, {{76, Control::rollback, 1}});
  for (int minute = 76; minute <= 80; ++minute) {
    const Minute& now = m[static_cast<std::size_t>(minute)];
    EXPECT_TRUE(now.rolling_back) << minute;
    EXPECT_EQ(now.bad_share, 1) << minute;
    EXPECT_NEAR(now.fleet_cost_per_hour, 2 * 0.40 * (now.instances_serving + now.instances_booting),
                1e-12);
  }
  EXPECT_FALSE(m[81].rolling_back);
  EXPECT_EQ(m[81].bad_share, 0);
  EXPECT_EQ(m[81].error_rate, 0);
  EXPECT_NEAR(m[81].fleet_cost_per_hour, 0.40 * (m[81].instances_serving + m[81].instances_booting),
              1e-12);
}

TEST(Rollback, PressedTwiceStartsItsPreparationAgain) {
  const std::vector<Minute> m =
      play(Scenario::bad_deploy, 90, {{76, Control::rollback, 1}, {79, Control::rollback, 1}});
  EXPECT_EQ(m[81].bad_share, 1) << "would have switched here";
  EXPECT_EQ(m[83].bad_share, 1);
  EXPECT_TRUE(m[83].rolling_back);
  EXPECT_EQ(m[84].bad_share, 0);
}

TEST(Rollback, DuringTheRolloutEndsIt) {
  const std::vector<Minute> m = play(Scenario::bad_deploy, 80, {{67, Control::rollback, 1}});
  EXPECT_NEAR(m[71].bad_share, 0.4, 1e-15);
  EXPECT_EQ(m[72].bad_share, 0);
  EXPECT_EQ(m[80].bad_share, 0);
}

TEST(SurgeMinutes, FollowItsTrapeziumDrawnFromTheSeed) {
  // Starts at 08:31.76, peaks at 1.5 + 4 x 0.25, after 3 minutes.
  const Surge surge = opening(day_of(Scenario::surge, {}), seed).state.surge;
  EXPECT_NEAR(surge.starts, 31.755712972953916, 1e-12);
  EXPECT_EQ(surge.peak, 2.5);
  EXPECT_NEAR(surge.hold, 22.55590352727703, 1e-12);
  EXPECT_NEAR(surge.factor(33), 1.6221435135230422, 1e-12);
  EXPECT_EQ(surge.factor(31), 1);
  EXPECT_EQ(surge.factor(50), 2.5);
  EXPECT_EQ(surge.factor(100), 1);

  const std::vector<Minute> m = play(Scenario::surge, 35);
  EXPECT_NEAR(m[32].requests_per_s, 1278.9902721596616, 1e-9);
  EXPECT_NEAR(m[33].requests_per_s, 1877.643278063513, 1e-9);
  EXPECT_NEAR(m[33].utilization, 0.8551606572636962, 1e-12);
  EXPECT_NEAR(m[34].requests_per_s, 2553.2522832721047, 1e-9);
  EXPECT_EQ(m[34].utilization, 1);
  EXPECT_NEAR(m[34].error_rate, 1 - 160 / 184.40591331316372, 1e-12);
  EXPECT_EQ(m[34].p99_ms, 2000);
  EXPECT_NEAR(m[35].error_rate, 1 - 160 / 204.09867586903283, 1e-12);
  // The autoscaler saw 85.5 % at 08:33: ceil(10 x 0.855/0.6) = 15; they boot for 8 minutes.
  EXPECT_EQ(m[33].instances_booting, 0);
  EXPECT_EQ(m[34].instances_booting, 5);
  EXPECT_EQ(play(Scenario::surge, 42)[41].instances_serving, 10);
  EXPECT_EQ(play(Scenario::surge, 42)[42].instances_serving, 15);
}

TEST(ColdCache, OpensBeforeNoonWithTheUsualHits) {
  const std::vector<Minute> m = play(Scenario::cold_cache, 30);
  EXPECT_EQ(m[0].clock, 11 * 60 + 30);
  EXPECT_EQ(m[0].cached_age_s, 45);
  // At noon rT = 1250/20000 x 90 = 5.625: 85 % hits.
  EXPECT_NEAR(load_of({}, {.requests_per_s = 1250, .ttl = 90}).hit_rate, 5.625 / 6.625, 1e-15);
  EXPECT_EQ(m[30].clock, 12 * 60);
  EXPECT_NEAR(m[30].requests_per_s, 1285.7505455850194, 1e-9);
  EXPECT_EQ(m[30].hit_rate, 0);
  EXPECT_NEAR(m[30].database_utilization, 1285.7505455850194 * 3 / 4000, 1e-12);
  EXPECT_NEAR(m[30].service_ms, 490.32005576866666, 1e-8);
  EXPECT_NEAR(m[30].error_rate, 1 - 160 / 630.4292792158403, 1e-12);
}

TEST(ColdCache, RefillsWithItsTimeConstant) {
  const std::vector<Minute> m = play(Scenario::cold_cache, 31);
  // 1 - e^(-1/30) of the cache after a minute.
  EXPECT_NEAR(m[31].requests_per_s, 1187.2877735909299, 1e-9);
  const double requests_per_ttl = 1187.2877735909299 / 20'000 * 90;
  EXPECT_NEAR(m[31].hit_rate, -std::expm1(-1.0 / 30) * requests_per_ttl / (1 + requests_per_ttl),
              1e-12);
  EXPECT_NEAR(m[31].hit_rate, 0.027615216056621577, 1e-12);
  EXPECT_NEAR(m[31].error_rate, 1 - 160 / 212.22524730213505, 1e-11);
}

TEST(ColdCache, RefillsSlowerWhileTheDatabaseIsSaturated) {
  const Day day = day_of(Scenario::cold_cache, {});
  Stepped now = opening(day, seed);
  now.state.warm = 0;
  const std::vector<Action> warm_up{{1, Control::warm_up, 1}};
  now = step(now.state, day, warm_up);
  const double asked = now.minute.database_utilization;
  ASSERT_GT(asked, 0.98);
  EXPECT_NEAR(now.state.warm, 1 - std::exp(-1.0 / 30 * 0.98 / asked) + 0.12, 1e-12);
}

TEST(WarmUpJob, RunsSixMinutesAndAddsTwelvePercentEach) {
  Constants slow;
  slow.refill_time = 86'400;  // so that nearly all of the filling is the job's
  const Day day = day_of(Scenario::cold_cache, slow);
  Stepped now = opening(day, seed);
  now.state.warm = 0;
  const std::vector<Action> press{{1, Control::warm_up, 1}};
  now = step(now.state, day, press);
  EXPECT_TRUE(now.minute.warming_up);
  EXPECT_NEAR(now.state.warm, 0.12, 1e-3);
  for (int minute = 2; minute <= 6; ++minute) {
    // Pressing while it runs changes nothing.
    const std::vector<Action> again{{minute, Control::warm_up, 1}};
    now = step(now.state, day, minute == 3 ? std::span(again) : std::span<const Action>());
    EXPECT_TRUE(now.minute.warming_up) << minute;
  }
  EXPECT_NEAR(now.state.warm, 0.72, 6e-3);
  const double with_job = now.minute.database_utilization;
  now = step(now.state, day, {});
  EXPECT_FALSE(now.minute.warming_up);
  EXPECT_LT(now.minute.database_utilization, with_job - 0.1) << "600 of 4,000 queries/s less";
  for (int i = 0; i < 2; ++i) {
    now = step(now.state, day, press);
    for (int minute = 0; minute < 6; ++minute) now = step(now.state, day, {});
  }
  EXPECT_EQ(now.state.warm, 1) << "and never more";
}

TEST(BurnWindow, IsPrefilledWithTheOpeningMinute) {
  Constants c;
  c.instances = 4;  // 64 workers for 83.5: the opening minute fails 23 %
  const Day day = day_of(Scenario::steady, c);
  Stepped now = opening(day, seed);
  const double first = 1 - 64 / 83.52876106194692;
  EXPECT_NEAR(now.minute.error_rate, first, 1e-12);
  EXPECT_NEAR(now.minute.burn_1h, first / 0.001, 1e-6);
  EXPECT_TRUE(now.minute.alert);
  EXPECT_EQ(now.minute.budget_left, 1) << "the opening minute spends nothing";
  now = step(now.state, day, {});
  EXPECT_NEAR(now.minute.burn_1h, (59 * first + now.minute.error_rate) / 60 / 0.001, 1e-6);
  EXPECT_NEAR(now.minute.budget_left, 1 - now.minute.error_rate / 0.001 / 43'200, 1e-12);
}

TEST(Controls, ActInTheMinuteOfTheirTime) {
  const std::vector<Minute> m = play(Scenario::steady, 6,
                                     {{2, Control::shed, 0.5},
                                      {2, Control::ttl, 120},
                                      {3, Control::recommendations, 0},
                                      {4, Control::floor, 12},
                                      {5, Control::shed, 0}});
  EXPECT_EQ(m[1].shed_share, 0);
  EXPECT_NEAR(m[2].shed_share, 0.15, 1e-15) << "half of the low-priority 30 %";
  EXPECT_EQ(m[2].cached_age_s, 60);
  EXPECT_NEAR(
      m[2].hit_rate,
      load_of({}, {.requests_per_s = m[2].requests_per_s, .shed_share = 0.15, .ttl = 120}).hit_rate,
      1e-15);
  EXPECT_EQ(m[2].recommendations_share, 1);
  EXPECT_EQ(m[3].recommendations_share, 0);
  EXPECT_EQ(m[4].instances_booting, 2) << "the floor launches at once";
  EXPECT_NEAR(m[4].fleet_cost_per_hour, 12 * 0.40, 1e-12) << "and what boots is paid for";
  EXPECT_EQ(m[5].shed_share, 0);
}

TEST(Step, IsPureTheSameStateGivesTheSameMinute) {
  const Day day = day_of(Scenario::surge, {});
  const State state = step(opening(day, seed).state, day, {}).state;
  const State copy = state;
  const Stepped once = step(state, day, {});
  const Stepped twice = step(state, day, {});
  EXPECT_EQ(state, copy);
  EXPECT_EQ(once.minute, twice.minute);
  EXPECT_EQ(once.state, twice.state);
}

}  // namespace
}  // namespace retrystorm::oncall
