#include "model/oncall/constants.hpp"

#include "core/error.hpp"
#include "model/oncall/scenario.hpp"

#include <cstring>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm::oncall {
namespace {
using ::testing::HasSubstr;

std::string refusal(std::string_view text) {
  try {
    constants_from_toml(text, "model.toml");
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Constants, AreAllRegisteredOnceEach) {
  EXPECT_EQ(constants().size() * sizeof(double), sizeof(Constants));
  std::set<std::string_view> names;
  Constants values;
  for (const Constant& c : constants()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_GE(values.*c.value, c.low) << c.name;
    EXPECT_LE(values.*c.value, c.high) << c.name;
    values.*c.value = -1;
  }
  for (const Constant& c : constants()) EXPECT_EQ(values.*c.value, -1) << c.name;
}

TEST(PublishedConstants, HaveTheirPublishedValuesByName) {
  const Constants c;
  EXPECT_EQ(c.workers_per_instance, 16);
  EXPECT_EQ(c.app_time, 0.050);
  EXPECT_EQ(c.heavy_app_time, 0.020);
  EXPECT_EQ(c.heavy_queries, 1);
  EXPECT_EQ(c.queries, 2);
  EXPECT_EQ(c.database_limit, 4000);
  EXPECT_EQ(c.query_time, 0.005);
  EXPECT_EQ(c.query_time_limit, 0.250);
  EXPECT_EQ(c.hot_objects, 20'000);
  EXPECT_EQ(c.refill_time, 30 * 60);
  EXPECT_EQ(c.warm_up_share, 0.12);
  EXPECT_EQ(c.warm_up_time, 6 * 60);
  EXPECT_EQ(c.warm_up_queries, 600);
  EXPECT_EQ(c.timeout, 2);
  EXPECT_EQ(c.low_priority, 0.30);
  EXPECT_EQ(c.bad_errors, 0.05);
  EXPECT_EQ(c.bad_cpu, 1.25);
  EXPECT_EQ(c.rollback_time, 5 * 60);
  EXPECT_EQ(c.instance_cost, 0.40);
  EXPECT_EQ(c.slo, 0.999);
  EXPECT_EQ(c.month, 43'200 * 60);
  EXPECT_EQ(c.max_instances, 40);
  EXPECT_EQ(c.scale_in_share, 0.20);
  EXPECT_EQ(c.quiet_time, 10 * 60);
  EXPECT_EQ(c.daily_swing, 0.25);
  EXPECT_EQ(c.noise, 0.02);
  EXPECT_EQ(c.surge_boot_time, 8 * 60);
  EXPECT_EQ(c.bad_deploy_clock, 9 * 60 + 10);
  EXPECT_EQ(c.bad_deploy_budget_left, 0.20);
  EXPECT_EQ(c.cold_cache_clock, 12 * 60);
}

TEST(Constants, WrittenAsTomlReadBackEqual) {
  const Constants defaults;
  const Constants read = constants_from_toml(constants_to_toml(defaults), "model.toml");
  EXPECT_EQ(std::memcmp(&read, &defaults, sizeof defaults), 0);
  EXPECT_THAT(constants_to_toml(defaults), HasSubstr("not for operational decisions"));
  EXPECT_THAT(constants_to_toml(defaults), HasSubstr("boot_time = \"180s\"  # (ours) "));
  EXPECT_THAT(constants_to_toml(defaults), HasSubstr("app_time = \"50ms\"  # work of"));
}

TEST(Constants, AreOverriddenOneByOne) {
  const Constants c = constants_from_toml(
      "boot_time = \"8min\"\napp_time = \"1.5ms\"\nbase = 2000\nslo = 0.99\nfloor = 3\n"
      "bad_deploy_clock = \"08:30\"",
      "model.toml");
  EXPECT_EQ(c.boot_time, 480);
  EXPECT_EQ(c.app_time, 0.0015);
  EXPECT_EQ(c.base, 2000);
  EXPECT_EQ(c.slo, 0.99);
  EXPECT_EQ(c.floor, 3);
  EXPECT_EQ(c.bad_deploy_clock, 510);
  EXPECT_EQ(c.noise, 0.02) << "the others stay";
  EXPECT_THAT(constants_to_toml(constants_from_toml("noise = -0.0", "model.toml")),
              HasSubstr("noise = 0  #"));
}

TEST(Constants, AreRefusedWithNameLineAndRange) {
  EXPECT_THAT(refusal("base = 1\nbaze = 2"), HasSubstr("model.toml:2: baze: no such constant"));
  for (const char* line : {"base = -1",
                           "base = nan",
                           "base = inf",
                           "base = \"1000\"",
                           "base = true",
                           "base = [1]",
                           "floor = 1.5",
                           "floor = 0",
                           "floor = 1001",
                           "slo = 1",
                           "slo = 1.0",
                           "bad_cpu = 0.5",
                           "app_time = 50",
                           "app_time = \"50\"",
                           "app_time = \"0ms\"",
                           "app_time = \"-1ms\"",
                           "boot_time = \"90s\"",
                           "boot_time = \"25h\"",
                           "boot_time = 3",
                           "bad_deploy_clock = 910",
                           "bad_deploy_clock = \"9:10\"",
                           "bad_deploy_clock = \"25:00\"",
                           "opening_clock = 08:00:00",
                           "surge_mean_steps = 31",
                           "rollout_time = \"0s\"",
                           "ttl = \"0.5s\""}) {
    const std::string name(line, std::string_view(line).find(' '));
    EXPECT_THAT(refusal(line), HasSubstr(fmt::format("model.toml:1: {}: must be a", name))) << line;
  }
  EXPECT_THAT(refusal("base ="), HasSubstr("not valid TOML"));
}

TEST(Constants, ThatContradictEachOtherAreRefused) {
  EXPECT_THAT(refusal("query_time = \"300ms\""), HasSubstr("query_time: must be at most"));
  EXPECT_THAT(refusal("instances = 41"), HasSubstr("instances: must be at most max_instances"));
  EXPECT_THAT(refusal("floor = 41"), HasSubstr("floor: must be at most max_instances"));
  EXPECT_THAT(refusal("opening_clock = \"12:00\""), HasSubstr("closing_clock: must be after"));
  EXPECT_THAT(refusal("surge_latest = \"08:00\""), HasSubstr("surge_latest: must not be before"));
  EXPECT_THAT(refusal("cold_cache_closing_clock = \"11:00\""), HasSubstr("must be after"));
}

// It would never happen, and the morning would be a quiet one under the scenario's name.
TEST(Constants, WithAnEventBeforeTheOpeningAreRefused) {
  const auto refused = [](Scenario scenario, std::string_view text) -> std::string {
    try {
      day_of(scenario, constants_from_toml(text, "model.toml"), "model.toml");
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refused(Scenario::bad_deploy, "bad_deploy_clock = \"08:00\""),
              HasSubstr("model.toml: bad_deploy_clock: must be after the opening, 08:00"));
  EXPECT_THAT(refused(Scenario::bad_deploy, "opening_clock = \"09:30\""),
              HasSubstr("bad_deploy_clock: must be after the opening, 09:30"));
  EXPECT_THAT(refused(Scenario::surge, "surge_earliest = \"07:00\""),
              HasSubstr("surge_earliest: must be after the opening, 08:00"));
  EXPECT_THAT(refused(Scenario::cold_cache, "cold_cache_clock = \"11:30\""),
              HasSubstr("cold_cache_clock: must be after the opening, 11:30"));
  EXPECT_EQ(refused(Scenario::bad_deploy, "bad_deploy_clock = \"08:01\""), "accepted");
  EXPECT_EQ(refused(Scenario::steady, "bad_deploy_clock = \"08:00\""), "accepted")
      << "no scenario of this one";
}

TEST(ClockTime, IsHoursAndMinutesOfOneDay) {
  EXPECT_EQ(parse_clock("00:00"), 0);
  EXPECT_EQ(parse_clock("09:10"), 550);
  EXPECT_EQ(parse_clock("24:00"), 1440);
  for (const char* text :
       {"", "9:10", "09:60", "24:01", "0910", "ab:cd", "09:1", "-1:00", "09:10 "}) {
    EXPECT_EQ(parse_clock(text), -1) << text;
  }
  EXPECT_EQ(format_clock(550), "09:10");
}

}  // namespace
}  // namespace retrystorm::oncall
