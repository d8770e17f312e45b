#include "model/calculators/decimal.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

TEST(Decimal, IsReadExactly) {
  EXPECT_EQ(parse_decimal("99.9", 4), 999'000);
  EXPECT_EQ(parse_decimal("0", 4), 0);
  EXPECT_EQ(parse_decimal("120", 6), 120'000'000);
  EXPECT_EQ(parse_decimal("0.000001", 6), 1);
  EXPECT_EQ(parse_decimal("9223372036854775807", 0), 9223372036854775807);
}

TEST(Decimal, IsRefusedWhereItIsNoneOrDoesNotFit) {
  for (const char* text : {"", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", " 1", "1.2.3",
                           "0.0000001", "9223372036855", "nan"}) {
    EXPECT_EQ(parse_decimal(text, 6), std::nullopt) << text;
  }
  EXPECT_EQ(parse_decimal("9223372036854775808", 0), std::nullopt);
}

}  // namespace
}  // namespace retrystorm
