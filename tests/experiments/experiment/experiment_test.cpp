#include "experiments/experiment/experiment.hpp"

#include "core/error.hpp"
#include "core/invalid_file.hpp"
#include "core/scenario_toml.hpp"
#include "tests/places.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const std::vector<Arm>& arms) {
  std::vector<std::string> result;
  for (const Arm& arm : arms) result.push_back(arm.name);
  return result;
}

std::vector<Arm> arms_in(std::string_view text) {
  return arms_of(experiment_from_toml(text, "e.toml"), "e.toml");
}

// The one line that a wrong experiment gives.
std::string complaint(std::string_view text) {
  try {
    experiment_from_toml(text, "e.toml");
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(Experiment, CrossesTheMatrixInTheOrderOfTheFile) {
  const auto arms = arms_in(
      "[matrix]\n\"client.retries\" = [0, 2]\n\"client.rate\" = [800, \"1200/s\"]\n"
      "[service]\nqueue = 79\n");
  EXPECT_THAT(names(arms), ElementsAre("retries=0 rate=800", "retries=0 rate=1200",
                                       "retries=2 rate=800", "retries=2 rate=1200"));
  EXPECT_EQ(arms[3].scenario.client.rate, 1200);
  EXPECT_EQ(arms[3].scenario.client.retries, 2);
  EXPECT_EQ(arms[3].scenario.service.queue, 79);
}

TEST(Experiment, CrossesEveryNamedArmWithTheMatrix) {
  const auto arms = arms_in(
      "[matrix]\nclient.rate = [1, 2]\n[[arm]]\nname = \"short queue\"\n\"service.queue\" = 5\n"
      "[[arm]]\nname = \"patient\"\nclient.timeout = \"1s\"\n");
  EXPECT_THAT(names(arms), ElementsAre("short queue rate=1", "short queue rate=2", "patient rate=1",
                                       "patient rate=2"));
  EXPECT_EQ(arms[0].scenario.service.queue, 5);
  EXPECT_EQ(arms[2].scenario.service.queue, 100);
  EXPECT_EQ(arms[2].scenario.client.timeout, std::chrono::seconds(1));
}

TEST(Experiment, WithoutMatrixAndArmsIsOneArmOfItsName) {
  EXPECT_THAT(names(arms_in("[experiment]\nname = \"plain\"\n")), ElementsAre("plain"));
  EXPECT_THAT(names(arms_in("seed = 4\n")), ElementsAre("e"));
}

TEST(Experiment, ReadsBackEqual) {
  const std::string text =
      "seed = 7\n[experiment]\nname = \"odd.one_2\"\nquestion = \"What \\\"if\\\"?\"\n"
      "[client]\nrate = 0.5\nretry_on = [\"rejected\"]\n"
      "[matrix]\n\"service.work\" = [\"20ms\", \"20.25ms\"]\n"
      "\"client.retry_on\" = [[\"timed_out\"], []]\n"
      "[[arm]]\nname = \"a 'b' \\\"c\\\"\"\n\"service.queue\" = \"auto\"\n";
  const Experiment first = experiment_from_toml(text, "e.toml");
  const std::string written = experiment_to_toml(first);
  const Experiment second = experiment_from_toml(written, "other.toml");
  EXPECT_EQ(experiment_to_toml(second), written);
  EXPECT_EQ(second.name, "odd.one_2");
  EXPECT_EQ(second.question, "What \"if\"?");
  const auto before = arms_of(first, "");
  const auto after = arms_of(second, "");
  ASSERT_EQ(names(before), names(after));
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(scenario_to_toml(before[i].scenario), scenario_to_toml(after[i].scenario));
  }
  EXPECT_THAT(written, HasSubstr("drain_limit = '10s'"));  // defaults are written out
}

TEST(Experiment, AFlagReplacesEveryArmsValueAndNarrowsTheMatrix) {
  Experiment e = experiment_from_toml(
      "[matrix]\n\"client.rate\" = [800, 1200]\n\"client.retries\" = [0, 2]\n"
      "[[arm]]\nname = \"a\"\n\"service.queue\" = 5\n",
      "e.toml");
  override_fields(e, {{find_field("client.rate"), FieldValue(std::string("1300/s"))},
                      {find_field("service.queue"), FieldValue(std::int64_t{9})}});
  const auto arms = arms_of(e, "");
  EXPECT_THAT(names(arms), ElementsAre("a rate=1300 retries=0", "a rate=1300 retries=2"));
  EXPECT_EQ(arms[1].scenario.client.rate, 1300);
  EXPECT_EQ(arms[1].scenario.service.queue, 9);
}

TEST(Experiment, AFlagReplacesWhatItStandsInPlaceOf) {
  Experiment e = experiment_from_toml(
      "[client]\nstages = ['200/s:2s', '800/s:1s']\n"
      "[[arm]]\nname = 'steady'\nclient.rate = 150\n[[arm]]\nname = 'burst'\n",
      "x.toml");
  std::vector<Arm> arms = arms_of(e, "x.toml");
  EXPECT_TRUE(arms[0].scenario.client.stages.empty());
  EXPECT_EQ(arms[0].scenario.client.rate, 150);
  EXPECT_EQ(arms[0].scenario.client.duration, std::chrono::seconds(3));
  EXPECT_EQ(arms[1].scenario.client.stages.size(), 2U);
  override_fields(e, {{find_field("client.stages"), std::vector<std::string>{"7/s:1s"}}});
  arms = arms_of(e, "x.toml");
  for (const Arm& arm : arms) EXPECT_EQ(arm.scenario.client.stages.size(), 1U) << arm.name;
}

TEST(Experiment, RefusesAnArmOrAMatrixThatSaysItsLoadTwice) {
  EXPECT_EQ(complaint("[[arm]]\nname = 'a'\nclient.rate = 5\nclient.stages = ['7/s:1s']\n"),
            "e.toml:4: client.stages: stands in place of client.rate: give one of them");
  EXPECT_EQ(complaint("[matrix]\nclient.rate = [5]\nclient.stages = [['7/s:1s']]\n"),
            "e.toml:3: client.stages: stands in place of client.rate: give one of them");
  EXPECT_EQ(complaint("[matrix]\nclient.rate = [5]\n[[arm]]\nname = 'a'\n"
                      "client.stages = ['7/s:1s']\n"),
            "e.toml:5: client.stages: is varied by [matrix]; an arm cannot set it as well");
}

TEST(Experiment, AnUnfitFlagIsNamedAsAFlag) {
  Experiment e = experiment_from_toml("", "e.toml");
  try {
    override_fields(e, {{find_field("client.timeout"), FieldValue(std::int64_t{3})}});
    FAIL() << "accepted";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("command line"), HasSubstr("--timeout")));
  }
}

struct Wrong {
  const char* how;
  std::string_view text;
  std::string_view where;
  std::string_view what;
};

class WrongExperiment : public testing::TestWithParam<Wrong> {};

TEST_P(WrongExperiment, IsRefusedWithFileAndLine) {
  EXPECT_THAT(complaint(GetParam().text),
              AllOf(HasSubstr(GetParam().where), HasSubstr(GetParam().what)));
}

INSTANTIATE_TEST_SUITE_P(
    Experiment, WrongExperiment,
    testing::Values(
        Wrong{"UnknownFieldInTheMatrix", "[matrix]\n\"client.rte\" = [1]", "e.toml:2: client.rte",
              "client.rate"},
        Wrong{"MatrixWithoutAList", "[matrix]\n\"client.rate\" = 5", "e.toml:2: client.rate",
              "list"},
        Wrong{"MatrixWithAnEmptyList", "[matrix]\n\"client.rate\" = []", "e.toml:2: client.rate",
              "at least one"},
        Wrong{"ValueOutOfRangeInTheMatrix", "[matrix]\n\"client.rate\" = [1,\n -2]",
              "e.toml:3: client.rate", "rate per second"},
        Wrong{"SameValueTwiceInTheMatrix", "[matrix]\n\"client.rate\" = [1200, \"1200/s\"]",
              "e.toml:2", "lists 1200 twice"},
        Wrong{"SameFieldTwiceInTheMatrix", "[matrix]\n\"client.rate\" = [1]\nclient.rate = [2]",
              "e.toml:3: client.rate", "given twice"},
        Wrong{"MatrixThatIsNoTable", "matrix = 3", "e.toml:1: matrix", "[matrix]"},
        Wrong{"SameArmTwice", "[[arm]]\nname = \"a\"\n[[arm]]\nname = \"a\"", "e.toml:3",
              "names two arms"},
        Wrong{"ArmWithoutAName", "[[arm]]\n\"client.rate\" = 5", "e.toml:1: arm",
              "must have a name"},
        Wrong{"ArmWithAnEmptyName", "[[arm]]\nname = \"\"", "e.toml:2: arm.name", "printable"},
        Wrong{"ArmWithAControlCharacterInItsName", "[[arm]]\nname = \"a\\u001b[31m\"",
              "e.toml:2: arm.name", "printable"},
        Wrong{"ArmWhoseNameTurnsTheDirection", "[[arm]]\nname = \"a\\u202Eb\"",
              "e.toml:2: arm.name", "direction of writing"},
        Wrong{"UnknownFieldInAnArm", "[[arm]]\nname = \"a\"\n\"service.worker\" = 5", "e.toml:3",
              "service.workers"},
        Wrong{"FieldOfAnArmAndOfTheMatrix",
              "[[arm]]\nname = \"a\"\n\"client.rate\" = 5\n[matrix]\n\"client.rate\" = [1]",
              "e.toml:3: client.rate", "varied by [matrix]"},
        Wrong{"ArmThatIsNoList", "arm = 3", "e.toml:1: arm", "[[arm]]"},
        Wrong{"NameThatIsAPath", "[experiment]\nname = \"../up\"", "e.toml:2: experiment.name",
              "letters"},
        Wrong{"UnknownKeyOfTheExperiment", "[experiment]\ntitle = \"x\"",
              "e.toml:2: experiment.title", "name or question"},
        Wrong{"NameThatIsNoString", "[experiment]\nname = 3", "e.toml:2: experiment.name",
              "string"},
        Wrong{"UnknownTable", "[clint]\nrate = 3", "e.toml:1: clint", "no such field"},
        Wrong{"ValueOfTheWrongType", "[client]\nrate = \"fast\"", "e.toml:2: client.rate", "fast"},
        Wrong{"ArmThatIsNoValidScenario", "[matrix]\nsettle = [\"1s\", \"9s\"]",
              "arm 'settle=9s': settle", "duration (6s)"},
        Wrong{"TextThatIsNoToml", "[client\nrate = 3", "e.toml:1", "not valid TOML"}),
    [](const auto& wrong) { return wrong.param.how; });

TEST(Experiment, RefusesAFileWhoseNameTurnsTheDirection) {
  for (const char* name :
       {"a\xe2\x80\xaelmot.toml", "\xd8\x9c.toml", "a\xe2\x81\xa9", "\xe2\x80\x8e"}) {
    try {
      experiment_from_file(name);
      ADD_FAILURE() << name;
    } catch (const InvalidInput& error) {
      EXPECT_THAT(error.what(), HasSubstr("direction of writing"));
      EXPECT_EQ(std::string_view(error.what()).find("\xe2"), std::string_view::npos);
    }
  }
  try {
    experiment_from_file("gr\xc3\xbc\xc3\x9f.toml");
    ADD_FAILURE();
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot be read"));  // it is only missing
  }
}

TEST(Experiment, RefusesAMatrixTooLargeToMean) {
  std::string values;
  for (int i = 1; i <= 40; ++i) values += std::to_string(i) + ",";
  EXPECT_THAT(
      complaint("[matrix]\n\"client.rate\" = [" + values + "]\n\"service.queue\" = [" + values +
                "]"),
      HasSubstr("at most 1000 arms, and gives 1600: 40 of client.rate x 40 of service.queue"));
}

TEST(Experiment, TellsAllItsErrorsInTheOrderOfTheFile) {
  try {
    experiment_from_toml(
        "[experiment]\ntitle = \"x\"\n[client]\nrat = 1\n[matrix]\n\"client.timeout\" = [\"1s\", "
        "5]\n"
        "\"client.rats\" = [1]\n[[arm]]\nname = \"a\"\nclient.retires = 1\n[[arm]]\nname = 3\n",
        "e.toml");
    FAIL() << "accepted";
  } catch (const InvalidFile& error) {
    std::vector<std::string> places;
    for (const auto& [line, excerpt] : error.mistakes()) {
      places.push_back(line.substr(0, line.find(": ", line.find(": ") + 1)));
      EXPECT_THAT(excerpt, HasSubstr("^"));
    }
    EXPECT_THAT(places, ElementsAre("e.toml:2: experiment.title", "e.toml:4: client.rat",
                                    "e.toml:6: client.timeout", "e.toml:7: client.rats",
                                    "e.toml:10: client.retires", "e.toml:12: arm.name"));
  }
}

TEST(Experiment, EveryScenarioOfTheTreeIsValid) {
  int seen = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_path("experiments/scenarios"))) {
    if (entry.path().extension() != ".toml") continue;
    ++seen;
    const Experiment e = experiment_from_file(entry.path().string());
    EXPECT_EQ(e.name, entry.path().stem().string());
    EXPECT_FALSE(e.question.empty()) << entry.path();
  }
  EXPECT_GE(seen, 3);
}

}  // namespace
}  // namespace retrystorm
