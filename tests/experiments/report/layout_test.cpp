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

}  // namespace
}  // namespace retrystorm
