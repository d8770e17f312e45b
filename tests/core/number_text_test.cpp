#include "core/number_text.hpp"

#include "core/wrapped_text.hpp"

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

TEST(Explained, WrapsItsTextUnderItsFirstLine) {
  const std::string text = explained("word", std::string(60, 'a') + " " + std::string(60, 'b'));
  EXPECT_EQ(text,
            "word       " + std::string(60, 'a') + "\n           " + std::string(60, 'b') + "\n");
  EXPECT_EQ(explained("", "a \x1b b"), "           a \\x1b b\n");
}

}  // namespace
}  // namespace retrystorm
