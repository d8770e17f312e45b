// Where a scenario turns, held against what the engines say on both sides of it.
#include "model/turning_points.hpp"

#include "core/error.hpp"
#include "model/settled/stationary.hpp"
#include "tests/model/scenarios.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

double settled_goodput_at(Scenario s, Engine engine, double load) {
  s.client.rate = load;
  return predict(engine, s).settled.goodput_per_s.value();
}

TEST(TurningPoints, OfTheBenchAreItsCeiling) {
  const Scenario s;
  const TurningPoints points = turning_points(s, Engine::simulate);
  EXPECT_EQ(points.ceiling_per_s, 1000);
  EXPECT_EQ(points.collapses_above_per_s, 1000);
  EXPECT_EQ(points.recovers_below_per_s, 1000);
  EXPECT_NEAR(settled_goodput_at(s, Engine::fluid, 1000), 1000, 1);
  EXPECT_LT(settled_goodput_at(s, Engine::fluid, 1020), 100);
}

TEST(TurningPoints, AreNoneWhereTheQueueHoldsOnlyWhatIsUseful) {
  Scenario s;
  s.service.queue = 50;
  const TurningPoints points = turning_points(s, Engine::simulate);
  EXPECT_FALSE(points.collapses_above_per_s);
  EXPECT_FALSE(points.recovers_below_per_s);
  EXPECT_GT(settled_goodput_at(s, Engine::fluid, 1900), 900);
}

TEST(TurningPoints, AreAnyLoadWhereNobodyCanBeInTime) {
  Scenario s;
  s.client.timeout = s.service.work / 2;
  EXPECT_EQ(turning_points(s, Engine::simulate).collapses_above_per_s, 0);
}

TEST(TurningPoints, WithRetriesAreTheFolds) {
  const Scenario s = service_with_two_states(200);
  const TurningPoints points = turning_points(s, Engine::simulate);
  const auto bends = folds(s);
  ASSERT_TRUE(bends);
  EXPECT_EQ(points.collapses_above_per_s, bends->upper.rate);
  EXPECT_EQ(points.recovers_below_per_s, bends->lower.rate);
  EXPECT_LT(*points.recovers_below_per_s, 200) << "a burst at 200/s leaves a collapse behind";
}

TEST(TurningPoints, AreLookedForByRunsWhereNoLawModelsTheScenario) {
  Scenario s;
  s.service.work_shape = WorkShape::lognormal;
  s.service.work_cv = 0.1;
  const TurningPoints points = turning_points(s, Engine::simulate);
  ASSERT_TRUE(points.collapses_above_per_s);
  EXPECT_NEAR(*points.collapses_above_per_s, 1000, 150);
  s.client.retries = 1;
  EXPECT_NE(turning_points(s, Engine::simulate).unknown, "");
}

TEST(TurningPoints, AreNotAskedOfSeveralClasses) {
  Scenario s;
  s.classes.resize(2);
  EXPECT_THROW(turning_points(s, Engine::simulate), InvalidInput);
}

}  // namespace
}  // namespace retrystorm
