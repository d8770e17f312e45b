// What the campaign says of itself: that it reaches every field, knows their ends, and sees what is
// planted in its way.
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/scenario_toml.hpp"
#include "model/engines.hpp"
#include "tests/campaign/agree.hpp"
#include "tests/campaign/books.hpp"
#include "tests/campaign/draw.hpp"
#include "tests/campaign/judge.hpp"
#include "tests/campaign/shrink.hpp"
#include "tests/campaign/spoil.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm::campaign {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(DrawnScenarios, MoveEveryFieldOfTheRegistryAndTakeEveryWord) {
  std::map<std::string, std::set<std::string>> values;
  for (std::uint64_t i = 0; i < 400; ++i) {
    for (const Line& line : draw(7, i).lines) values[line.key].insert(line.value);
  }
  for (const Field& field : fields()) {
    if (field.type == "file") continue;  // there is none to draw
    EXPECT_GE(values[field.path()].size(), 2U) << field.path();
    if (field.type != "choice") continue;
    for (const std::string& word : field.words) {
      EXPECT_EQ(values[field.path()].count(toml_literal(FieldValue(word))), 1U)
          << field.path() << word;
    }
  }
}

TEST(DrawnScenarios, AreTheSameForTheSameSeed) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(text_of(draw(3, i)), text_of(draw(3, i)));
    EXPECT_EQ(text_of(spoil(3, i)), text_of(spoil(3, i)));
  }
  EXPECT_NE(text_of(draw(3, 1)), text_of(draw(4, 1)));
}

TEST(DrawnScenarios, AreMostlyValid) {
  int valid = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    try {
      scenario_of(draw(5, i));
      ++valid;
    } catch (const InvalidInput&) {
    }
  }
  EXPECT_GE(valid, 150);
}

TEST(DrawnRuns, AreShortAndOfALoadThatCanBeOffered) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Scenario s = scenario_of(draw_live(5, i));
    EXPECT_LE(s.client.duration, std::chrono::seconds(2));
    EXPECT_LE(s.drain_limit, std::chrono::seconds(1));
    EXPECT_LE(s.client.rate * static_cast<double>(s.client.retries + 1), 1100);
  }
}

TEST(Bounds, AreThoseThatEachFieldKeeps) {
  for (const Field& field : fields()) {
    const auto bounds = bounds_of(field);
    const bool numbers = field.type == "integer" || field.type == "number" ||
                         field.type == "rate" || field.type == "duration";
    ASSERT_EQ(bounds.has_value(), numbers) << field.path();
    if (!bounds) continue;
    const auto fits = [&](double value) {
      try {
        scenario_of({{{field.path(), literal(field, value)}}, "", ""});
        return true;
      } catch (const InvalidInput&) {
        return false;
      }
    };
    EXPECT_TRUE(fits(bounds->low)) << field.path();
    if (!bounds->high || *bounds->high > 1e18) continue;
    // A duration of a day is no settled window: what the scenario's other fields allow is theirs.
    EXPECT_FALSE(fits(*bounds->high * 1.01)) << field.path();
    if (field.path() != "simulation.horizon") {
      EXPECT_TRUE(fits(*bounds->high)) << field.path();
    }
  }
}

TEST(SpoiltScenarios, AreAllRefusedAndOfEveryKind) {
  std::set<std::string> kinds;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Case c = spoil(11, i);
    kinds.insert(c.flaw);
    EXPECT_THROW(scenario_of(c), InvalidInput) << c.flaw << "\n" << text_of(c);
  }
  EXPECT_EQ(kinds.size(), 6U);
}

TEST(Books, SeeACountThatIsOff) {
  const Scenario s;
  const Tally right = predict(Engine::simulate, s);
  EXPECT_THAT(wrong_in_books(right, s), IsEmpty());
  for (auto Counts::*count : {&Counts::rejected, &Counts::succeeded, &Counts::refused,
                              &Counts::taken, &Counts::unfinished_requests}) {
    Tally wrong = right;
    *(wrong.counts.*count) += 1;
    EXPECT_THAT(wrong_in_books(wrong, s), Not(IsEmpty()));
  }
}

TEST(Agreement, IsBrokenByOneRequestBetweenExactEngines) {
  Scenario s;
  s.client.rate = 1200;
  s.client.duration = std::chrono::seconds(1);
  std::vector<Tally> answers = {predict(Engine::simulate, s), predict(Engine::fluid, s)};
  EXPECT_THAT(parted(s, answers), IsEmpty());
  *answers[1].counts.succeeded += 1;
  EXPECT_THAT(parted(s, answers), ElementsAre(HasSubstr("succeeded")));
}

TEST(Shrinking, LeavesTheLinesThatMatter) {
  Case c;
  for (const char* key : {"a", "b", "c", "d", "e"}) c.lines.push_back({key, "1"});
  const auto has = [](const Case& in, const std::string& key) {
    return std::any_of(in.lines.begin(), in.lines.end(),
                       [&](const Line& line) { return line.key == key; });
  };
  const Case least = shrink(c, [&](const Case& less) { return has(less, "b") && has(less, "e"); });
  ASSERT_EQ(least.lines.size(), 2U);
  EXPECT_EQ(least.lines[0].key, "b");
  EXPECT_EQ(least.lines[1].key, "e");
}

TEST(Arguments, SayTheCaseAgain) {
  const Case c = spoil(1, 8);
  EXPECT_THAT(arguments_of(c), HasSubstr("--check"));
  std::vector<std::string> lines = {"!" + c.named};
  for (const Line& line : c.lines) {
    lines.push_back(line.value.empty() ? line.key : line.key + " = " + line.value);
  }
  EXPECT_EQ(text_of(case_from(lines)), text_of(c));
}

}  // namespace
}  // namespace retrystorm::campaign
