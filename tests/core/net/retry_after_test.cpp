// What a reply says of when to come again.
#include "core/net/retry_after.hpp"

#include "core/net/http_date.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

std::optional<Duration> said(std::string_view after, std::string_view date = {}) {
  RetryAfterSaid said;
  said.hear(after);
  if (!date.empty()) said.hear_date(date);
  return said.read();
}

TEST(RetryAfter, InSecondsCountsFromTheReply) {
  EXPECT_EQ(said("0"), 0s);
  EXPECT_EQ(said("120"), 120s);
}

TEST(RetryAfter, AsADateCountsFromTheDateOfTheReply) {
  constexpr std::string_view now = "Sun, 06 Nov 1994 08:49:37 GMT";
  EXPECT_EQ(said("Sun, 06 Nov 1994 08:51:37 GMT", now), 2min);
  EXPECT_EQ(said("Sun, 06 Nov 1994 08:49:36 GMT", now), 0s) << "gone by";
  EXPECT_EQ(said("Sun, 06 Nov 1994 08:51:37 GMT"), std::nullopt) << "from when?";
}

TEST(RetryAfter, ThatCannotBeReadSaysNothing) {
  for (const std::string_view text :
       {"", "-1", "1.5", "soon", "Sun, 06 Nov 1994 08:51:37 CET", "Mon, 06 Nov 1994 08:51:37 GMT",
        "Sun, 31 Feb 1994 08:51:37 GMT", "Sun, 06 Nov 1994 24:51:37 GMT",
        "000000000000000000000000000000000000001"}) {
    EXPECT_EQ(said(text, "Sun, 06 Nov 1994 08:49:37 GMT"), std::nullopt) << text;
  }
}

TEST(RetryAfter, BeyondAYearIsAYear) {
  EXPECT_EQ(said("9000000000000000000"), std::chrono::hours(24 * 365));
}

TEST(HttpDate, IsReadAsItIsWritten) {
  for (const std::int64_t s : {0L, 784'111'777L, 951'782'400L, 4'107'542'399L}) {
    const std::chrono::sys_seconds at{std::chrono::seconds(s)};
    const HttpDate text = http_date(at);
    EXPECT_EQ(parse_http_date({text.data(), text.size()}), at);
  }
}

}  // namespace
}  // namespace retrystorm
