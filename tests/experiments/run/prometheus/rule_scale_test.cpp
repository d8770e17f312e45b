#include "experiments/run/prometheus/rule_scale.hpp"

#include "core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using testing::HasSubstr;

std::string scaled(std::string_view rules, std::uint64_t factor = 300) {
  return scale_rules(rules, factor, "rules");
}

TEST(RuleScale, DividesTheRangesInExpressions) {
  EXPECT_EQ(scaled("expr: rate(x[5m]) / rate(y[1h])"), "expr: rate(x[1000ms]) / rate(y[12000ms])");
  EXPECT_EQ(scaled("expr: rate(x[3d])"), "expr: rate(x[864000ms])");
  EXPECT_EQ(scaled("expr: rate(x[1h30m])"), "expr: rate(x[18000ms])");
}

TEST(RuleScale, DividesWaitingTimes) {
  EXPECT_EQ(scaled("for: 1m\n"), "for: 200ms\n");
  EXPECT_EQ(scaled("keep_firing_for: 10m\n"), "keep_firing_for: 2000ms\n");
  EXPECT_EQ(scaled("interval: 5m\n"), "interval: 1000ms\n");
}

TEST(RuleScale, LeavesNamesLabelsAndTextAlone) {
  for (const char* text : {"record: retrystorm:goodput:rate5m", "long_window: 1h",
                           "summary: waits for 5 minutes", "expr: x{le=\"5m\"} > 14.4"}) {
    EXPECT_EQ(scaled(text), text);
  }
}

TEST(RuleScale, OfOneChangesNoLength) {
  EXPECT_EQ(scaled("rate(x[5m])", 1), "rate(x[300000ms])");
}

TEST(RuleScale, RefusesWhatIsNoWholeMillisecond) {
  try {
    scaled("rate(x[5m])", 7);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("5m"));
    EXPECT_THAT(error.what(), HasSubstr("7"));
  }
}

}  // namespace
}  // namespace retrystorm
