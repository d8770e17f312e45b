#include "core/net/http_date.hpp"

#include <string>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

std::string date(std::int64_t seconds) {
  const HttpDate text = http_date(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
  return {text.data(), text.size()};
}

// The example of RFC 9110, 5.6.7, and where calendars go wrong.
TEST(HttpDate, IsWrittenAsTheRfcWritesIt) {
  EXPECT_EQ(date(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(date(951'782'400), "Tue, 29 Feb 2000 00:00:00 GMT");
  EXPECT_EQ(date(4'107'542'399), "Sun, 28 Feb 2100 23:59:59 GMT");
  EXPECT_EQ(date(4'107'542'400), "Mon, 01 Mar 2100 00:00:00 GMT");
}

}  // namespace
}  // namespace retrystorm
