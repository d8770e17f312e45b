#include "core/json.hpp"

#include "core/error.hpp"
#include "tests/seed.hpp"

#include <cmath>
#include <random>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::HasSubstr;

TEST(Json, ReadsEveryFractionExactly) {
  const Seed seed(1);
  std::mt19937_64 random(seed.value());
  std::uniform_real_distribution<double> exponent(-30, 30);
  for (int i = 0; i < 20'000; ++i) {
    const double number = (i % 2 ? -1.0 : 1.0) * std::pow(10.0, exponent(random));
    EXPECT_EQ(
        parse_json(fmt::format("[{}, {:.17e}]", number, number), "t").at(0).to_number<double>(),
        number);
  }
  const auto list = parse_json("[-0.25, 1e3, 2.5E-1, 1E400, 123456789012345678901, 1e-400]", "t");
  EXPECT_EQ(list.at(0), -0.25);
  EXPECT_EQ(list.at(1), 1000.0);
  EXPECT_EQ(list.at(2), 0.25);
  EXPECT_EQ(list.at(4).as_double(), 123456789012345678901.0);
  EXPECT_EQ(list.at(5).as_double(), 0);
}

TEST(Json, ReadsBackWhatItPrints) {
  const std::string text =
      "{\"a\": [1, -2, 18446744073709551615, 0.1, true, null], \"b \\\"\\u00e4\\n\": {\"c\": "
      "\"x\\ty "
      "\\\\ z\", \"d\": [], \"e\": {}}}";
  const auto value = parse_json(text, "t");
  EXPECT_EQ(parse_json(pretty_json(value), "t"), value);
  EXPECT_EQ(value, boost::json::parse(text));
}

TEST(Json, RefusesWhatIsNoJsonAndSaysWhere) {
  for (const char* text :
       {"", "{", "[1,]", "{\"a\" 1}", "1 2", "[1] x", "nul", "\"a", "{\"a\": 1"}) {
    try {
      parse_json(text, "f.json");
      ADD_FAILURE() << "accepted: " << text;
    } catch (const InvalidInput& error) {
      EXPECT_THAT(error.what(), HasSubstr("f.json: not valid JSON near byte"));
    }
  }
}

TEST(Json, RefusesNestingWithoutEnd) {
  EXPECT_THROW(parse_json(std::string(100'000, '['), "t"), InvalidInput);
}

TEST(Json, AllowsWhiteSpaceAround) {
  EXPECT_EQ(parse_json(" \n [1] \r\n\t", "t").at(0), 1);
}

}  // namespace
}  // namespace retrystorm
