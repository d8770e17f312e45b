#include "experiments/experiment/published.hpp"

#include "core/error.hpp"
#include "experiments/experiment/experiment.hpp"
#include "experiments/experiment/published_files.hpp"
#include "tests/alike_classes.hpp"
#include "tests/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using testing::HasSubstr;

const std::string data =
    "[source]\ntitle = \"a bench\"\nrates = \"per hour\"\nnotes = [\"rounded\"]\n"
    "[bench]\n\"service.workers\" = 3\n\"service.work\" = [\"20ms\", \"21ms\"]\n"
    "[[row]]\narm = {\"client.rate\" = 10}\nattempts = 60\n\"whole.goodput_per_s\" = 5.5\n"
    "\"request.p50\" = 7\n"
    "[[row]]\narm = {\"client.rate\" = 20}\nrejected = 4\n";

Scenario bench() {
  Scenario s;
  s.service.workers = 3;
  s.client.rate = 10;
  return s;
}

TEST(Published, IsFoundByTheFieldsOfTheScenario) {
  const auto found = published_in(data, "p.toml", bench());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->source, "a bench");
  EXPECT_EQ(found->rates, "per hour");
  EXPECT_EQ(found->tally.engine, "published");
  EXPECT_EQ(found->tally.counts.attempts, 60);
  EXPECT_EQ(found->tally.whole.goodput_per_s, 5.5);
  EXPECT_EQ(found->tally.request.p50, 7);
  EXPECT_FALSE(found->tally.counts.rejected.has_value()) << "not stated is not zero";
}

TEST(Published, TakesAnyOfAListOfValues) {
  Scenario s = bench();
  s.service.work = 21ms;
  EXPECT_TRUE(published_in(data, "p.toml", s));
  s.service.work = 22ms;
  EXPECT_FALSE(published_in(data, "p.toml", s));
}

TEST(Published, KeepsItsRowsApart) {
  Scenario s = bench();
  s.client.rate = 20;
  const auto found = published_in(data, "p.toml", s);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tally.counts.rejected, 4);
  s.client.rate = 30;
  EXPECT_FALSE(published_in(data, "p.toml", s));
}

TEST(Published, IsNotFoundForAnotherBench) {
  Scenario s = bench();
  s.service.workers = 4;
  EXPECT_FALSE(published_in(data, "p.toml", s));
}

TEST(Published, IsNotFoundForSeveralClassesOfClients) {
  EXPECT_TRUE(published_in(data, "p.toml", bench()));
  EXPECT_FALSE(published_in(data, "p.toml", in_classes(bench(), {1, 1})));
}

TEST(Published, RefusesAFigureThatNoTallyHas) {
  try {
    published_in(data + "rejcted = 5\n", "p.toml", bench());
    FAIL() << "accepted";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("p.toml:"));
  }
}

TEST(Published, TheProgramsOwnDataIsOfTheRightShape) {
  ASSERT_FALSE(published_files().empty());
  for (const EmbeddedFile& file : published_files()) {
    EXPECT_NO_THROW(published_in(file.text, file.name, Scenario{})) << file.name;
  }
}

TEST(Published, TheCollapseHasPublishedArms) {
  std::size_t found = 0;
  for (const char* name : {"collapse", "collapse-overshoot"}) {
    const std::string file = source_path("experiments/scenarios/") + name + ".toml";
    for (const Arm& arm : arms_of(experiment_from_file(file), file)) {
      if (published_for(arm.scenario)) ++found;
    }
  }
  EXPECT_GE(found, 8U);
}

}  // namespace
}  // namespace retrystorm
