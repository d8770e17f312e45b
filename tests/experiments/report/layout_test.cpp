#include "experiments/report/layout.hpp"

#include "tests/experiments/report/made_up_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

TEST(Layout, PutsLoadsSideBySideAndTheRestBelow) {
  const Layout layout = layout_of(collapse());
  EXPECT_THAT(layout.columns, ::testing::ElementsAre("160/s", "240/s"));
  ASSERT_EQ(layout.rows.size(), 2U);
  EXPECT_EQ(layout.rows[0].label, "retries=0");
  EXPECT_EQ(collapse().arms[*layout.rows[1].cells[1]].name, "rate=240 retries=2");
}

TEST(Layout, OfLoadsWithoutOneRateIsOneRow) {
  Report report;
  for (const std::int64_t rate : {150'000, 200'000}) {
    ArmReport& arm = report.arms.emplace_back();
    arm.name = std::to_string(rate);
    arm.scenario.client.stages = {{"", rate, rate, std::chrono::seconds(5)},
                                  {"burst", 800'000, 800'000, std::chrono::seconds(3)}};
    arm.scenario.client.rate = mean_rate(arm.scenario.client.stages);
  }
  EXPECT_EQ(layout_of(report).rows.size(), 1U);
}

}  // namespace
}  // namespace retrystorm
