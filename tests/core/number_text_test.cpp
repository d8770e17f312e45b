#include "core/number_text.hpp"

#include "core/wrapped_text.hpp"

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

TEST(Numbers, AreGroupedInThousands) {
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-1234.5), "-1,234.50");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(-999), "-999");
  EXPECT_EQ(grouped(1000, 0), "1,000");
  EXPECT_EQ(grouped(999.96, 1), "1,000.0");
  EXPECT_EQ(grouped(-123456.789, 2), "-123,456.79");
  EXPECT_EQ(grouped(0.25, 2), "0.25");
}

TEST(Numbers, UnknownAreOneDashEverywhere) {
  EXPECT_EQ(count_text(std::nullopt), "-");
  EXPECT_EQ(rate_text(std::nullopt), "-");
  EXPECT_EQ(fixed_text(std::nullopt, 2), "-");
  EXPECT_EQ(share_text(std::nullopt), "-");
  EXPECT_EQ(signed_percent(std::nullopt), "-");
}

TEST(Numbers, HaveAsManyFiguresAsPeopleRead) {
  EXPECT_EQ(rate_text(78.461), "78.5");
  EXPECT_EQ(rate_text(78), "78");
  EXPECT_EQ(rate_text(1000.4), "1,000");
  EXPECT_EQ(rate_text(1000.6), "1,001");
  EXPECT_EQ(fixed_text(1, 2), "1.00");
  EXPECT_EQ(share_text(0.9231), "92.3 %");
  EXPECT_EQ(signed_percent(0.0003), "+0.03%");
  EXPECT_EQ(signed_percent(0), "0");
}

TEST(Numbers, OfRatesAreRoundedForPeopleAndNeverToNothing) {
  EXPECT_EQ(rate_text(228.57142857), "228.6");
  EXPECT_EQ(plain_rate_text(228.57142857), "228.6");
  EXPECT_EQ(plain_rate_text(1200), "1200");
  EXPECT_EQ(plain_rate_text(1234.5), "1234");
  EXPECT_EQ(plain_rate_text(0.5), "0.5");
  EXPECT_EQ(plain_rate_text(0.04), "0.04");
  EXPECT_EQ(plain_rate_text(-0.25), "-0.25");
  EXPECT_EQ(plain_rate_text(-1e-13), "0");
  EXPECT_EQ(rate_text(0.96), "0.96");
  EXPECT_EQ(rate_text(-1200.4), "-1,200");
}

TEST(Numbers, OfSharesAreNothingOrAllOnlyWhereThatIsSo) {
  EXPECT_EQ(share_text(0), "0.0 %");
  EXPECT_EQ(share_text(1), "100.0 %");
  EXPECT_EQ(share_text(0.0001), "<0.1 %");
  EXPECT_EQ(share_text(0.9999), ">99.9 %");
  EXPECT_EQ(share_text(1e-14), "0.0 %") << "the rounding of a formula";
}

TEST(LongTimes, AreInUnitsThatPeopleReadAndNeverBeyondACentury) {
  EXPECT_EQ(long_time_text(12.34), "12.3 s");
  EXPECT_EQ(long_time_text(8260), "2.29 h");
  EXPECT_EQ(long_time_text(2.87e7), "332 days");
  EXPECT_EQ(long_time_text(3e9), "95.1 years");
  EXPECT_EQ(long_time_text(3.2e9), "never");
  EXPECT_EQ(long_time_text(1e40), "never");
  EXPECT_EQ(long_time_text(std::numeric_limits<double>::infinity()), "never");
}

TEST(Explained, WrapsItsTextUnderItsFirstLine) {
  const std::string text = explained("word", std::string(60, 'a') + " " + std::string(60, 'b'));
  EXPECT_EQ(text,
            "word       " + std::string(60, 'a') + "\n           " + std::string(60, 'b') + "\n");
  EXPECT_EQ(explained("", "a \x1b b"), "           a \\x1b b\n");
}

}  // namespace
}  // namespace retrystorm
