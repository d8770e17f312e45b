#include "core/units.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

TEST(Units, ReadsADurationExactly) {
  EXPECT_EQ(parse_duration("20ms"), 20ms);
  EXPECT_EQ(parse_duration("20.25ms"), 20250us);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("0.000000001s"), 1ns);
  EXPECT_EQ(parse_duration("1.50s"), 1500ms);
  EXPECT_EQ(parse_duration("2min"), 120s);
}

}  // namespace
}  // namespace retrystorm
