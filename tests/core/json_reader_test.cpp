#include "core/json_reader.hpp"

#include "core/error.hpp"
#include "core/json.hpp"

#include <string>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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
    return std::to_string(JsonObject(value, "input", "list[2]").integer("n", 0));
  } catch (const InvalidInput& error) {
    return error.what();
  }
}

TEST(JsonObject, IntegerIsPlainDigitsWithinSixtyFourBits) {
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

// What `read` says of a document when it does not like it.
template <typename Read>
std::string refusal_of(std::string_view text, Read read) {
  const auto value = parse_json(text, "f.json");
  try {
    read(JsonObject(value, "f.json"));
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(JsonObject, RefusesWhatIsNoObject) {
  for (const char* text : {"[]", "1", "null", "\"x\""}) {
    EXPECT_EQ(refusal_of(text, [](const JsonObject&) {}), "f.json: must be a JSON object") << text;
  }
}

TEST(JsonObject, NamesTheMemberByItsPathInWhatItRefuses) {
  constexpr std::string_view text = R"({"arms": [{}, {"tries": [{"status": 3}]}]})";
  const auto status = [](const JsonObject& top) {
    top.each("arms", [](const JsonObject& arm) {
      if (!arm.has("tries")) return;
      arm.each("tries", [](const JsonObject& t) { t.text("status"); });
    });
  };
  EXPECT_EQ(refusal_of(text, status), "f.json: arms[1].tries[0].status: must be a string");
  const auto inner = [](const JsonObject& top) { top.object("a").object("b").list("c"); };
  EXPECT_EQ(refusal_of(R"({"a": {"b": {}}})", inner), "f.json: a.b.c: is missing; must be a list");
  EXPECT_EQ(refusal_of(R"({"a": {"b": 1}})", inner), "f.json: a.b: must be a JSON object");
  EXPECT_EQ(refusal_of(R"({"a": [1]})", [](const JsonObject& top) { top.each("a", {}); }),
            "f.json: a[0]: must be a JSON object");
}

TEST(JsonObject, StrictReadersRefuseAnotherKindAndWhatIsMissing) {
  using Read = void (*)(const JsonObject&);
  const std::initializer_list<std::pair<Read, std::string_view>> readers = {
      {[](const JsonObject& o) { o.integer("k", 1, 9); }, R"(["x", 0, 10, true, null, [1]])"},
      {[](const JsonObject& o) { o.boolean("k"); }, R"([0, "true", null])"},
      {[](const JsonObject& o) { o.text("k"); }, "[1, null, []]"},
      {[](const JsonObject& o) { o.filled_text("k"); }, R"([1, ""])"},
      {[](const JsonObject& o) { o.texts("k"); }, R"(["x", {}, ["x", 1]])"},
      {[](const JsonObject& o) { o.object("k"); }, R"([1, [], null])"},
      {[](const JsonObject& o) { o.list("k"); }, R"([1, {}, null])"}};
  for (const auto& [read, unfit] : readers) {
    EXPECT_THAT(refusal_of("{}", read), HasSubstr("f.json: k: is missing; must be"));
    const boost::json::value values = parse_json(unfit, "unfit");
    for (const auto& value : values.as_array()) {
      const std::string text = "{\"k\": " + boost::json::serialize(value) + "}";
      EXPECT_THAT(refusal_of(text, read), HasSubstr("f.json: k: must be")) << text;
    }
  }
}

TEST(JsonObject, StrictReadersGiveWhatStandsThereToTheLetter) {
  const auto value = parse_json(
      R"({"i": 3, "b": true, "t": "", "f": "x", "s": ["a", "b"], "o": {"n": 1}, "l": [1, 2]})",
      "f.json");
  const JsonObject object(value, "f.json");
  EXPECT_EQ(object.integer("i", 3, 3), 3);
  EXPECT_TRUE(object.boolean("b"));
  EXPECT_EQ(object.text("t"), "");
  EXPECT_EQ(object.filled_text("f"), "x");
  EXPECT_THAT(object.texts("s"), ElementsAre("a", "b"));
  EXPECT_EQ(object.object("o").path_of("n"), "o.n");
  EXPECT_EQ(object.list("l").size(), 2U);
}

TEST(JsonObject, KnowsItsKeysAndRefusesOthers) {
  const auto only = [](const JsonObject& object) { object.only({"a", "b"}); };
  EXPECT_EQ(refusal_of(R"({"b": 1})", only), "accepted");
  EXPECT_EQ(refusal_of(R"({"b": 1, "c": 2})", only),
            "f.json: c: is not a field here; known are a, b");
}

TEST(JsonObject, LenientReadersTakeAnotherKindAsMissing) {
  for (const char* text : {"{}", R"({"k": null})", R"({"k": {"x": [1]}})", R"({"k": [1, {}]})"}) {
    const auto value = parse_json(text, "f.json");
    const JsonObject object(value, "f.json");
    EXPECT_EQ(object.number("k"), std::nullopt) << text;
    EXPECT_EQ(object.whole("k", 7), 7) << text;
    EXPECT_FALSE(object.flag("k")) << text;
    EXPECT_EQ(object.text_or("k", "none"), "none") << text;
    EXPECT_THAT(object.texts_if("k"), IsEmpty()) << text;
  }
  const auto value = parse_json(R"({"list": ["a", 1, "b"], "o": {}, "null": null})", "f.json");
  const JsonObject object(value, "f.json");
  EXPECT_THAT(object.texts_if("list"), ElementsAre("a", "b"));
  EXPECT_TRUE(object.object_if("o").has_value());
  EXPECT_FALSE(object.object_if("list").has_value());
  EXPECT_TRUE(object.has("null"));
  EXPECT_FALSE(object.given("null"));
  EXPECT_FALSE(object.has("nothing"));
}

TEST(JsonObject, WholeStaysWithinWhatACountCanBe) {
  const auto whole = [](std::string_view number) {
    const auto value = parse_json("{\"n\": " + std::string(number) + "}", "f.json");
    return JsonObject(value, "f.json").whole("n", -1);
  };
  EXPECT_EQ(whole("3"), 3);
  EXPECT_EQ(whole("3.9"), 3);
  EXPECT_EQ(whole("-2"), 0);
  EXPECT_EQ(whole("1e300"), 9007199254740992);
  EXPECT_EQ(whole("1e999"), 9007199254740992);
  EXPECT_EQ(whole("18446744073709551615"), 9007199254740992);
  EXPECT_EQ(whole("\"3\""), -1);
}

}  // namespace
}  // namespace retrystorm
