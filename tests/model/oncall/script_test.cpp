#include "model/oncall/script.hpp"

#include "core/error.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm::oncall {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<Action> script(std::string_view text) {
  return script_from_toml(text, "script.toml", day_of(Scenario::steady, {}));
}
std::string script_refusal(std::string_view text) {
  try {
    script(text);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}
std::string action(std::string_view time, std::string_view control, std::string_view value) {
  return fmt::format("[[action]]\ntime = {}\ncontrol = {}\nvalue = {}\n", time, control, value);
}

TEST(Script, IsAListOfTimeControlAndValue) {
  EXPECT_THAT(script(R"(
    [[action]]
    time = "09:15"
    control = "rollback"
    value = true
    [[action]]
    time = "08:30"
    control = "floor"
    value = 20
    [[action]]
    time = "09:15"
    control = "ttl"
    value = "90s"
    [[action]]
    time = "08:01"
    control = "tracking"
    value = false
  )"),
              ElementsAre(Action{1, Control::tracking, 0}, Action{30, Control::floor, 20},
                          Action{75, Control::rollback, 1}, Action{75, Control::ttl, 90}));
  EXPECT_THAT(script("action = []"), IsEmpty());
  EXPECT_THAT(script(R"(action = [{time = "08:01", control = "shed", value = 1}])"),
              ElementsAre(Action{1, Control::shed, 1}));
}

TEST(Script, TakesMinusNothingAsNothing) {
  EXPECT_FALSE(std::signbit(script(action("\"08:01\"", "\"shed\"", "-0.0")).at(0).value));
}

TEST(Script, TakesEveryControlWithinItsRange) {
  for (const auto& [control, value] : {std::pair{"floor", "1"},
                                       {"floor", "40"},
                                       {"target", "1"},
                                       {"target", "0.01"},
                                       {"target", "0.7"},
                                       {"ttl", "\"1s\""},
                                       {"ttl", "\"24h\""},
                                       {"ttl", "\"1.5s\""},
                                       {"shed", "0"},
                                       {"shed", "0.5"},
                                       {"shed", "1.0"},
                                       {"tracking", "true"},
                                       {"recommendations", "false"},
                                       {"warm_up", "true"},
                                       {"rollback", "true"}}) {
    EXPECT_EQ(script_refusal(action("\"08:01\"", fmt::format("\"{}\"", control), value)),
              "accepted")
        << control << " = " << value;
  }
}

TEST(Script, IsRefusedForAValueThatDoesNotFit) {
  for (const auto& [control, value] :
       {std::pair{"floor", "0"},  {"floor", "41"},       {"floor", "1.5"},   {"floor", "-1"},
        {"floor", "\"10\""},      {"floor", "true"},     {"target", "0"},    {"target", "1.01"},
        {"target", "nan"},        {"target", "\"60%\""}, {"ttl", "60"},      {"ttl", "\"0s\""},
        {"ttl", "\"25h\""},       {"ttl", "\"fast\""},   {"ttl", "\"-1s\""}, {"shed", "-0.1"},
        {"shed", "1.1"},          {"shed", "inf"},       {"tracking", "1"},  {"tracking", "\"on\""},
        {"recommendations", "0"}, {"warm_up", "false"},  {"warm_up", "1"},   {"rollback", "false"},
        {"rollback", "[true]"},   {"shed", "{x = 1}"}}) {
    EXPECT_THAT(script_refusal(action("\"08:01\"", fmt::format("\"{}\"", control), value)),
                HasSubstr("script.toml:4: value: must be "))
        << control << " = " << value;
  }
}

TEST(Script, IsRefusedForATimeThatIsNoneOrTooEarly) {
  for (const char* time : {"\"08:00\"", "\"07:59\"", "\"8:30\"", "\"24:01\"", "\"09:60\"", "\"\"",
                           "\"9:5\"", "930", "09:30:00", "\"-9:30\"", "\"09:3x\""}) {
    EXPECT_THAT(script_refusal(action(time, "\"shed\"", "0")),
                HasSubstr("script.toml:2: time: must be a clock time \"HH:MM\" after the opening, "
                          "08:00"))
        << time;
  }
  EXPECT_EQ(script_refusal(action("\"24:00\"", "\"shed\"", "0")), "accepted");
}

TEST(Script, IsRefusedForWhatIsNoScript) {
  EXPECT_THAT(script_refusal(""), HasSubstr("script.toml: action: is missing"));
  for (const char* no_list : {"action = 3", "action = \"x\"", "[action]\ntime = \"09:00\""}) {
    EXPECT_THAT(script_refusal(no_list),
                HasSubstr("script.toml:1: action: must be a list: [[action]]"))
        << no_list;
  }
  EXPECT_THAT(script_refusal("action = [3]"), HasSubstr("script.toml:1: action: must be a table"));
  EXPECT_THAT(script_refusal("x = 3\naction = []"), HasSubstr("script.toml:1: x: is not part"));
  EXPECT_THAT(script_refusal("[[action]\n"), HasSubstr("not valid TOML"));
  EXPECT_THAT(script_refusal("[[action]]\n"), HasSubstr("control: is missing"));
  EXPECT_THAT(script_refusal("[[action]]\ncontrol = \"shed\"\nvalue = 0"),
              HasSubstr("time: is missing"));
  EXPECT_THAT(script_refusal("[[action]]\ncontrol = \"shed\"\ntime = \"09:00\""),
              HasSubstr("value: is missing"));
  EXPECT_THAT(script_refusal(action("\"09:00\"", "\"hope\"", "1")),
              HasSubstr("script.toml:3: control: must be one of floor, tracking"));
  EXPECT_THAT(script_refusal(action("\"09:00\"", "7", "1")), HasSubstr("control: must be one of"));
  EXPECT_THAT(script_refusal(action("\"09:00\"", "\"shed\"", "1") + "when = 1"),
              HasSubstr("script.toml:5: when: is not a field of an action"));
  EXPECT_THAT(
      script_refusal(action("\"09:00\"", "\"shed\"", "1") + action("\"09:00\"", "\"shed\"", "0")),
      HasSubstr("shed: is moved twice at one time"));
}

}  // namespace
}  // namespace retrystorm::oncall
