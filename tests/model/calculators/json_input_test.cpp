#include "model/calculators/json_input.hpp"

#include "core/error.hpp"

#include <string>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal(std::string_view text) {
  try {
    parse_strict_json(text, "input");
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(StrictJson, RefusesWhatIsNoJson) {
  const std::string deep(100'000, '[');
  const std::initializer_list<std::string_view> bad = {"",
                                                       " \n",
                                                       "{",
                                                       "{}{}",
                                                       "{} x",
                                                       "[1,]",
                                                       "{\"a\":1,}",
                                                       "NaN",
                                                       "{\"a\": NaN}",
                                                       "{'a': 1}",
                                                       "\xEF\xBB\xBF{}",
                                                       "{\"a\": 01}",
                                                       "{\"a\": +1}",
                                                       "{\"a\": .5}",
                                                       "// no\n{}",
                                                       "\"\xff\"",
                                                       "\"\\ud800\"",
                                                       "{\"a\" 1}",
                                                       "{a: 1}",
                                                       std::string_view("{}\0", 3),
                                                       deep};
  for (const std::string_view text : bad) {
    const std::string message = refusal(text);
    EXPECT_THAT(message, HasSubstr("input: ")) << text;
    EXPECT_THAT(message, Not(HasSubstr("\n")));
  }
}

TEST(StrictJson, SaysOfAByteOrderMarkThatItIsOne) {
  EXPECT_THAT(refusal("\xEF\xBB\xBF{}"), HasSubstr("input: begins with a byte order mark"));
}

TEST(StrictJson, RefusesAKeyThatAnObjectHasTwice) {
  EXPECT_THAT(refusal(R"({"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]})"), "accepted");
  EXPECT_THAT(refusal(R"({"a": 1, "a": 1})"), HasSubstr("a: stands twice"));
  EXPECT_THAT(refusal(R"([{"x": 1}, {"y": {"z": 1, "z": 2}}])"), HasSubstr("z: stands twice"));
  EXPECT_THAT(refusal(R"({"cost": 1, "c\u006fst": 2})"), HasSubstr("cost: stands twice"));
  const std::string key(5000, 'k');
  EXPECT_THAT(refusal("{\"" + key + "\": 1, \"" + key + "\": 2}"), HasSubstr("stands twice"));
}

std::string integer_at(std::string_view number) {
  const auto value = parse_strict_json("{\"n\": " + std::string(number) + "}", "input");
  try {
    return std::to_string(InputObject(value, "input", "list[2]").integer("n", 0));
  } catch (const InvalidInput& error) {
    return error.what();
  }
}

TEST(InputInteger, IsPlainDigitsWithinSixtyFourBits) {
  EXPECT_EQ(integer_at("0"), "0");
  EXPECT_EQ(integer_at("-0"), "0");
  EXPECT_EQ(integer_at("9007199254740993"), "9007199254740993");
  EXPECT_EQ(integer_at("9223372036854775807"), "9223372036854775807");
  for (const char* text :
       {"-1", "1.0", "1e3", "1E0", "0.5", "-0.0", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "1e400", "true", "false", "null", "\"1\"", "[1]", "{\"n\": 1}"}) {
    EXPECT_THAT(integer_at(text),
                HasSubstr("input: list[2].n: must be an integer from 0 to 9223372036854775807"))
        << text;
  }
  EXPECT_THAT(integer_at("100000000000000000000000000000000000000000000"), HasSubstr("must be"));
}

}  // namespace
}  // namespace retrystorm
