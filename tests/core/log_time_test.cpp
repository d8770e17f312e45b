#include "core/log_time.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

constexpr std::int64_t second = 1'000'000'000;

TEST(LogTime, OfAnAccessLogCountsFromTheEpochInItsZone) {
  EXPECT_EQ(parse_log_time("01/Jan/1970:00:00:01", "+0000"), second);
  EXPECT_EQ(parse_log_time("10/Oct/2000:13:55:36", "-0700"), 971'211'336 * second);
  EXPECT_EQ(parse_log_time("10/Oct/2000:20:55:36", "GET"), 971'211'336 * second) << "no zone: UTC";
  EXPECT_EQ(parse_log_time("29/Feb/2024:23:59:59", "+0100"), 1'709'247'599 * second);
}

TEST(LogTime, OfIso8601IsTheSameInOneColumnAndInTwo) {
  const std::int64_t at = 1'600'000'000 * second + 250'000'001;
  EXPECT_EQ(parse_log_time("2020-09-13T12:26:40.250000001Z", ""), at);
  EXPECT_EQ(parse_log_time("2020-09-13T14:26:40,250000001+02:00", ""), at);
  EXPECT_EQ(parse_log_time("2020-09-13T12:26:40.2500000010", "x"), at) << "no finer after all";
  EXPECT_EQ(parse_log_time("2020-09-13", "12:26:40.250000001"), at);
}

TEST(LogTime, IsNothingElse) {
  for (const char* text :
       {"", "12", "2020-09-13", "2020-13-01T00:00:00", "2020-02-30T00:00:00", "2020-09-13T24:00:00",
        "2020-09-13T12:26:40.", "2020-09-13T12:26:40.0000000001", "2020-09-13T12:26:40+2",
        "31/Feb/2020:00:00:00", "10/Okt/2020:00:00:00", "10/Oct/2020", "1/2/3", "/",
        "2020-09-13T12:26:40Zz"}) {
    EXPECT_FALSE(parse_log_time(text, "x")) << text;
  }
}

}  // namespace
}  // namespace retrystorm
