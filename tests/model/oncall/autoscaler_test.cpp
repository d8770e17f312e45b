#include "model/oncall/autoscaler.hpp"

#include "model/oncall/random.hpp"
#include "tests/seed.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace retrystorm::oncall {
namespace {

constexpr Constants usual_constants;
constexpr int boot = 3;

Fleet serving(int instances) {
  Fleet fleet;
  fleet.serving = instances;
  return fleet;
}
Fleet next(Fleet fleet, double utilization, const Controls& controls = {}) {
  return scaled(a_minute_later(std::move(fleet)), utilization, controls, usual_constants, boot);
}

TEST(TargetTracking, AsksForTheFleetThatMeetsTheTarget) {
  const Controls controls;
  EXPECT_EQ(desired_instances(20, 0.75, controls, usual_constants), 25);
  EXPECT_EQ(desired_instances(20, 0.60, controls, usual_constants), 20)
      << "and not 21 by a rounding";
  EXPECT_EQ(desired_instances(20, 0.601, controls, usual_constants), 21) << "no dead band";
  EXPECT_EQ(desired_instances(20, 1.7, controls, usual_constants), 34) << "utilization saturates";
  EXPECT_EQ(desired_instances(20, 0.01, controls, usual_constants), 10) << "the floor";
  EXPECT_EQ(desired_instances(39, 1, controls, usual_constants), 40) << "the largest fleet";
}

TEST(SaturatedFleet, GrowsStepByStepAsItsUtilizationCannotSayMore) {
  Fleet fleet = next(serving(10), 1);
  EXPECT_EQ(fleet.serving, 10);
  EXPECT_EQ(fleet.all(), 17) << "ceil(10/0.6), whatever the load is";
  for (int minute = 1; minute < boot; ++minute) {
    fleet = next(std::move(fleet), 1);
    EXPECT_EQ(fleet.serving, 10);
    EXPECT_EQ(fleet.all(), 17) << "no new scale-out while instances boot";
  }
  fleet = next(std::move(fleet), 1);
  EXPECT_EQ(fleet.serving, 17);
  EXPECT_EQ(fleet.all(), 29) << "ceil(17/0.6)";
  for (int minute = 0; minute < boot; ++minute) fleet = next(std::move(fleet), 1);
  EXPECT_EQ(fleet.serving, 29);
  EXPECT_EQ(fleet.all(), 40) << "at most";
}

TEST(Fleet, ShrinksByAFifthAfterTenQuietMinutes) {
  Fleet fleet = serving(40);
  for (int minute = 1; minute < 10; ++minute) {
    fleet = next(std::move(fleet), 0.1);
    EXPECT_EQ(fleet.serving, 40) << minute;
  }
  fleet = next(std::move(fleet), 0.1);
  EXPECT_EQ(fleet.serving, 32);
  for (int minute = 1; minute < 10; ++minute) fleet = next(std::move(fleet), 0.1);
  EXPECT_EQ(fleet.serving, 32) << "ten more first";
  fleet = next(std::move(fleet), 0.1);
  EXPECT_EQ(fleet.serving, 26) << "a fifth of 32 is 6.4: 6";
}

TEST(Fleet, ShrinksByItsShareWithoutARoundingOfIt) {
  Constants c;
  c.max_instances = 200;
  for (int percent = 1; percent <= 100; ++percent) {
    c.scale_in_share = percent / 100.0;
    Fleet fleet = serving(100);
    Controls controls;
    controls.floor = 1;
    for (int minute = 0; minute < 10; ++minute) fleet = scaled(fleet, 0.001, controls, c, boot);
    EXPECT_EQ(fleet.serving, std::max(1, 100 - percent));
  }
}

TEST(Fleet, CountsAgainAfterAMinuteThatWasNotQuiet) {
  Fleet fleet = serving(20);
  for (int minute = 0; minute < 9; ++minute) fleet = next(std::move(fleet), 0.3);
  fleet = next(std::move(fleet), 0.6);
  for (int minute = 0; minute < 9; ++minute) fleet = next(std::move(fleet), 0.3);
  EXPECT_EQ(fleet.serving, 20);
  EXPECT_EQ(next(std::move(fleet), 0.3).serving, 16);
}

TEST(Fleet, ShrinksNoFurtherThanIsDesired) {
  Fleet fleet = serving(20);
  for (int minute = 0; minute < 10; ++minute) fleet = next(std::move(fleet), 0.55);
  EXPECT_EQ(fleet.serving, 19) << "ceil(20 x 0.55/0.6)";
}

TEST(Floor, RaisedLaunchesAtOnceEvenWhileInstancesBoot) {
  Fleet fleet = next(serving(10), 1);
  ASSERT_EQ(fleet.all(), 17);
  Controls controls;
  controls.floor = 30;
  fleet = next(std::move(fleet), 1, controls);
  EXPECT_EQ(fleet.serving, 10);
  EXPECT_EQ(fleet.all(), 30);
  fleet = next(next(std::move(fleet), 1, controls), 1, controls);
  EXPECT_EQ(fleet.serving, 17) << "the first have booted, the others have not";
}

TEST(Fleet, WithoutTrackingHoldsExactlyTheFloor) {
  Controls controls;
  controls.tracking = false;
  EXPECT_EQ(next(serving(30), 1, controls), serving(10));
  Fleet fleet = next(serving(10), 1);
  ASSERT_EQ(fleet.all(), 17);
  EXPECT_EQ(next(fleet, 1, controls), serving(10)) << "what boots is cancelled";
  controls.floor = 12;
  fleet = next(std::move(fleet), 1, controls);
  EXPECT_EQ(fleet.serving, 10);
  EXPECT_EQ(fleet.booting.size(), 2U);
}

TEST(Instances, BootForTheirTimeAndThenServe) {
  Controls controls;
  controls.floor = 11;
  Fleet fleet = scaled(serving(10), 0.5, controls, usual_constants, 8);
  for (int minute = 1; minute < 8; ++minute) {
    fleet = a_minute_later(std::move(fleet));
    EXPECT_EQ(fleet.serving, 10) << minute;
  }
  EXPECT_EQ(a_minute_later(std::move(fleet)), serving(11));
  EXPECT_EQ(scaled(serving(10), 0.5, controls, usual_constants, 0), serving(11))
      << "boots in no time";
}

TEST(Fleet, KeepsItsBoundsWhateverIsAskedOfIt) {
  const Seed seed(3);
  Mulberry32 random(seed.value<std::uint32_t>());
  Fleet fleet = serving(10);
  Controls controls;
  for (int minute = 0; minute < 50'000; ++minute) {
    if (random.uniform() < 0.05) controls.floor = 1 + static_cast<int>(40 * random.uniform());
    if (random.uniform() < 0.05) controls.tracking = random.uniform() < 0.8;
    if (random.uniform() < 0.05) controls.target = 0.01 + 0.99 * random.uniform();
    const Fleet before = a_minute_later(fleet);
    fleet = next(std::move(fleet), 1.2 * random.uniform(), controls);
    ASSERT_GE(fleet.all(), controls.floor);
    ASSERT_LE(fleet.all(), 40);
    ASSERT_GE(fleet.serving, 1);
    if (controls.tracking) {
      ASSERT_GE(fleet.serving, before.serving - before.serving / 5);
    } else {
      ASSERT_EQ(fleet.all(), controls.floor);
    }
    if (controls.tracking && !before.booting.empty() && before.all() >= controls.floor) {
      ASSERT_LE(fleet.all(), before.all()) << "no new scale-out while instances boot";
    }
  }
}

}  // namespace
}  // namespace retrystorm::oncall
