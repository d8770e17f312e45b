#include "experiments/report/settled_arms.hpp"

#include "core/files.hpp"
#include "experiments/report/words/words.hpp"
#include "tests/experiments/report/fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using testing::HasSubstr;

// 8 workers, retries, a little above the ceiling: a plateau of some seconds, and then the fall.
Report measured(const std::string& folder, const std::string& duration, double rate) {
  return fixture::make_run(
      folder, {experiment_from_toml("[experiment]\nname = \"fall\"\nquestion = \"When?\"\n"
                                    "[service]\nworkers = 8\nwork = \"35ms\"\nqueue = 50\n"
                                    "[client]\nduration = \"" +
                                        duration +
                                        "\"\ntimeout = \"250ms\"\nretries = 2\n"
                                        "[matrix]\n\"client.rate\" = [" +
                                        std::to_string(rate) + "]\n",
                                    "fall.toml")});
}

TEST(SettledArm, OfAPlateauBeforeAFallHasNoFigureAndSaysWhenItWould) {
  const fixture::Folder folder;
  const Report report = measured(folder.path(), "6s", 240);
  const ArmReport& arm = report.arms.front();
  ASSERT_TRUE(arm.measured);
  EXPECT_FALSE(arm.measured->settled.goodput_per_s);
  EXPECT_NE(arm.measured->settling.reason, "");
  EXPECT_GE(arm.measured->settling.predicted_to_settle_at.value_or(0), 6);
  for (const auto& [engine, tally] : arm.predicted.nominal) {
    EXPECT_TRUE(!tally.settled.goodput_per_s || engine == "stationary") << engine;
  }
  EXPECT_FALSE(simulated(arm.predicted.calibrated)->settled.goodput_per_s);
  EXPECT_FALSE(arm.predicted.replay->settled.goodput_per_s);
  EXPECT_FALSE(arm.repeats.front().settled.goodput_per_s);
  EXPECT_TRUE(arm.measured->whole.goodput_per_s) << "the whole run is what it is";
  EXPECT_THAT(unsettled_words(arm), HasSubstr("; simulated to settle at "));
  EXPECT_FALSE(words_of(report).advice) << "no advice on it";
}

TEST(SettledArm, OfRecordedArrivalsIsJudgedByItsWindowsAloneAndSaysSo) {
  const fixture::Folder folder;
  std::string instants;
  for (int i = 0; i < 1500; ++i) instants += fmt::format("{}\n", i * 1'000'000 / 150);
  write_whole(folder.path() + "/arrivals.csv", instants);
  const Report report = fixture::make_run(
      folder.path() + "/run",
      {experiment_from_toml("[service]\nworkers = 8\nwork = \"35ms\"\nqueue = 50\n[client]\n"
                            "recorded = \"arrivals.csv:us\"\ntimeout = \"250ms\"\n",
                            folder.path() + "/steady.toml")});
  const ArmReport& arm = report.arms.front();
  ASSERT_TRUE(arm.measured);
  EXPECT_EQ(arm.measured->counts.offered, 1500);
  EXPECT_EQ(arm.tries.front().trust.schedule_errors, 0);
  ASSERT_TRUE(arm.measured->settled.goodput_per_s) << arm.measured->settling.reason;
  EXPECT_NEAR(*arm.measured->settled.goodput_per_s, 150, 2);
  EXPECT_THAT(arm.measured->settling.note, HasSubstr("recorded arrivals cannot be carried on"));
  EXPECT_THAT(arm.predicted.nominal.at("simulate").settling.note, HasSubstr("its windows alone"));
}

TEST(SettledArm, ThatGoesOnTheSameKeepsItsFigure) {
  const fixture::Folder folder;
  const Report report = measured(folder.path(), "10s", 150);
  const ArmReport& arm = report.arms.front();
  ASSERT_TRUE(arm.measured);
  ASSERT_TRUE(arm.measured->settled.goodput_per_s) << arm.measured->settling.reason;
  EXPECT_NEAR(*arm.measured->settled.goodput_per_s, 150, 1);
  EXPECT_EQ(arm.measured->settling.to_s, 10);
  EXPECT_TRUE(arm.predicted.replay->settled.goodput_per_s);
  EXPECT_EQ(unsettled_words(arm), "");
}

}  // namespace
}  // namespace retrystorm
