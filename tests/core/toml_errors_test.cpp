// What a person is shown of a file with errors.
#include "core/toml_errors.hpp"

#include "core/known_field.hpp"
#include "core/scenario_toml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using testing::HasSubstr;

// Each error's line and excerpt.
std::vector<std::pair<std::string, std::string>> mistakes_in(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> all;
  try {
    Scenario scenario;
    read_scenario(scenario, text, "x.toml");
  } catch (const InvalidFile& error) {
    EXPECT_EQ(error.what(), error.mistakes().front().line);
    for (const auto& [line, excerpt] : error.mistakes()) all.emplace_back(line, excerpt);
  }
  return all;
}

TEST(TomlErrors, AreToldAllAtOnceInTheOrderOfTheFile) {
  const auto mistakes = mistakes_in(
      "[service]\nworkers = 0\n[client]\n  retires = 2\ntimeout = \"5\"\nretry_on = [\n  1]\n"
      "[clint]\nrate = 3\n");
  ASSERT_EQ(mistakes.size(), 5U);
  EXPECT_THAT(mistakes[0].first, HasSubstr("x.toml:2: service.workers: must be a whole number"));
  EXPECT_EQ(mistakes[1].first,
            "x.toml:4: client.retires: no such field; did you mean client.retries?");
  EXPECT_THAT(mistakes[2].first, HasSubstr("x.toml:5: client.timeout: must be a duration"));
  EXPECT_EQ(mistakes[3].first, "x.toml:7: client.retry_on: must list strings");
  EXPECT_THAT(mistakes[4].first, HasSubstr("x.toml:8: clint: no such field"));
}

TEST(TomlErrors, HaveTheirLineAndAMarkBeneath) {
  const auto mistakes = mistakes_in("[service]\nworkers = 0\n[client]\n  retires = 2\n");
  ASSERT_EQ(mistakes.size(), 2U);
  EXPECT_EQ(mistakes[0].second, "    2 | workers = 0\n      |           ^") << "the value";
  EXPECT_EQ(mistakes[1].second, "    4 |   retires = 2\n      |   ^") << "the name";
}

TEST(TomlErrors, OfTextThatIsNoTomlHaveTheirLineToo) {
  const auto mistakes = mistakes_in("seed = 1\nsettle = = 2\n");
  ASSERT_EQ(mistakes.size(), 1U);
  EXPECT_THAT(mistakes[0].first, HasSubstr("x.toml:2:10: not valid TOML"));
  EXPECT_EQ(mistakes[0].second, "    2 | settle = = 2\n      |          ^");
}

TEST(TomlErrors, AreNotToldWithoutEnd) {
  std::string text;
  for (int i = 0; i < 25; ++i) text += "unknown" + std::to_string(i) + " = 1\n";
  const auto mistakes = mistakes_in(text);
  ASSERT_EQ(mistakes.size(), 21U);
  EXPECT_EQ(mistakes.back().first, "x.toml: 5 more are not shown");
}

TEST(Excerpt, CountsCharactersNotBytes) {
  EXPECT_EQ(excerpt("a = \"\xc3\xa4\xc3\xb6\" b", {1, 10}),
            "    1 | a = \"\xc3\xa4\xc3\xb6\" b\n      |          ^");
}

TEST(Excerpt, SendsNoControlCharactersToTheTerminal) {
  EXPECT_EQ(excerpt("\tx = \x1b", {1, 6}), "    1 |  x = \\x1b\n      |      ^");
}

TEST(Excerpt, ShowsOfALongLineThePartAroundTheMark) {
  const std::string shown = excerpt(std::string(500, 'a') + "!" + std::string(500, 'b'), {1, 501});
  const std::string first = shown.substr(0, shown.find('\n'));
  const std::string second = shown.substr(shown.find('\n') + 1);
  EXPECT_LE(first.size(), 90U);
  EXPECT_EQ(first.find('!'), second.find('^'));
  EXPECT_TRUE(first.ends_with("..."));
}

TEST(MeantField, IsFoundByItsPathAndByItsBareName) {
  EXPECT_EQ(meant_field("here", "client.rate").path(), "client.rate");
  EXPECT_EQ(meant_field("here", "rate").path(), "client.rate");
  EXPECT_EQ(meant_field("here", "seed").path(), "seed");
  EXPECT_THROW(meant_field("here", "rat"), InvalidInput);
}

}  // namespace
}  // namespace retrystorm
