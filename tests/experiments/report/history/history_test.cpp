#include "experiments/report/history/history.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "experiments/evidence/run_directory.hpp"
#include "tests/experiments/report/fixture.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace retrystorm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ResultsFolder : public ::testing::Test {
 protected:
  void make(const std::string& name, double rate = 240) {
    fixture::Run run{fixture::small_collapse()};
    run.predicted = false;
    run.experiment.matrix.clear();
    run.experiment.base.client.rate = rate;
    run.experiment.base.client.duration = std::chrono::seconds(1);
    fixture::make_run(folder.path() + "/" + name, run);
  }
  std::vector<std::string> names(const HistoryOptions& options = {}) {
    std::vector<std::string> list;
    for (const PastRun& run : history_of(folder.path(), options)) list.push_back(run.directory);
    return list;
  }
  std::string all() { return boost::json::serialize(to_json(history_of(folder.path(), {}))); }

  fixture::Folder folder;
};

TEST_F(ResultsFolder, ListsRunsByTheTimeInTheirNames) {
  make("x-20250103T000000Z");
  make("x-20250101T000000Z");
  make("x-20250102T000000Z-2");
  EXPECT_THAT(names(),
              ElementsAre("x-20250101T000000Z", "x-20250102T000000Z-2", "x-20250103T000000Z"));
  EXPECT_EQ(utc_text(history_of(folder.path(), {}).front().finished), "2025-01-01 00:00:00Z");
}

TEST_F(ResultsFolder, KeepsFiguresExactly) {
  make("a");
  const PastRun run = history_of(folder.path(), {}).at(0);
  ASSERT_EQ(run.arms.size(), 1U);
  const auto goodput_of = [](const PastArm& arm) {
    for (std::size_t i = 0; i < arm.figures.size(); ++i) {
      if (past_figures[i].name == "whole_goodput") return arm.figures[i].value();
    }
    return 0.0;
  };
  const double goodput = goodput_of(run.arms[0]);
  EXPECT_NE(goodput, static_cast<double>(static_cast<std::int64_t>(goodput)));
  EXPECT_EQ(goodput_of(history_of(folder.path(), {true, {}, 0}).at(0).arms[0]), goodput);
}

TEST_F(ResultsFolder, TellsTheChangeAgainstTheRunBefore) {
  make("x-20250101T000000Z", 160);
  make("x-20250102T000000Z", 160);
  make("x-20250103T000000Z", 170);
  const auto runs = history_of(folder.path(), {});
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_FALSE(change_of(runs, 0, 0));
  const auto same = change_of(runs, 1, 0);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->per_s, 0);
  EXPECT_EQ(same->share, 0);
  EXPECT_EQ(same->before, 0U);
  const auto more = change_of(runs, 2, 0);
  ASSERT_TRUE(more);
  EXPECT_EQ(more->before, 1U);
  EXPECT_GT(more->per_s, 0);
  EXPECT_GT(*more->share, 0);
  EXPECT_LT(*more->share, 0.2);
  const auto list = to_json(runs);
  EXPECT_TRUE(list.at(0).at("arms").at(0).at("change").is_null());
  EXPECT_EQ(list.at(2).at("arms").at(0).at("change").at("against"), "x-20250102T000000Z");
  EXPECT_EQ(list.at(2).at("arms").at(0).at("change").at("per_s"), more->per_s);
  EXPECT_THAT(history_text(runs), HasSubstr("on the run before"));
}

TEST(PastChanges, PassOverRunsWithoutTheArmAndOtherExperiments) {
  const auto run = [](const char* experiment, const char* arm, Count goodput) {
    PastRun past;
    past.experiment = experiment;
    past.arms.push_back({arm, "done", true});
    for (std::size_t i = 0; i < std::size(past_figures); ++i) {
      if (past_figures[i].name == "whole_goodput") past.arms[0].figures[i] = goodput;
    }
    return past;
  };
  const std::vector<PastRun> runs = {
      run("a", "x", 100), run("b", "x", 500), run("a", "y", 7), run("a", "x", std::nullopt),
      run("a", "x", 80),  run("c", "x", 0),   run("c", "x", 5)};
  const auto change = change_of(runs, 4, 0);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->before, 0U);
  EXPECT_EQ(change->per_s, -20);
  EXPECT_DOUBLE_EQ(*change->share, -0.2);
  EXPECT_FALSE(change->settled);
  EXPECT_FALSE(change_of(runs, 1, 0));
  EXPECT_FALSE(change_of(runs, 3, 0));         // nothing was measured
  EXPECT_FALSE(change_of(runs, 6, 0)->share);  // of nothing
}

TEST_F(ResultsFolder, IsRebuiltFromTheRunDirectories) {
  make("a");
  make("b", 160);
  const std::string before = all();
  std::filesystem::remove(folder.path() + "/history.sqlite");
  EXPECT_EQ(all(), before);
  HistoryOptions rebuild;
  rebuild.rebuild = true;
  EXPECT_EQ(boost::json::serialize(to_json(history_of(folder.path(), rebuild))), before);
}

TEST_F(ResultsFolder, SurvivesADamagedIndex) {
  make("a");
  const std::string before = all();
  write_whole(folder.path() + "/history.sqlite",
              "this is no database, though long enough to be one");
  EXPECT_EQ(all(), before);
}

TEST_F(ResultsFolder, MakesAnIndexWithOtherColumnsAnew) {
  make("a");
  const std::string before = all();
  Database(folder.path() + "/history.sqlite")
      .execute("ALTER TABLE arms RENAME COLUMN throughput TO what_another_version_kept");
  EXPECT_EQ(all(), before);
}

TEST_F(ResultsFolder, FollowsTheDirectories) {
  make("a");
  EXPECT_THAT(names(), ElementsAre("a"));
  make("b");
  EXPECT_EQ(names().size(), 2U);
  std::filesystem::remove_all(folder.path() + "/a");
  EXPECT_THAT(names(), ElementsAre("b"));
  write_whole(folder.path() + "/b/report.json", "{}");
  EXPECT_THAT(history_of(folder.path(), {}).at(0).status, HasSubstr("unreadable"));
}

TEST_F(ResultsFolder, NamesARunWithoutAReport) {
  make_directories(folder.path() + "/killed");
  write_whole(folder.path() + "/killed/experiment.toml", "");
  make_directories(folder.path() + "/something-else");
  const auto runs = history_of(folder.path(), {});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_THAT(runs[0].status, HasSubstr("was killed"));
  EXPECT_THAT(history_text(runs), HasSubstr("was killed"));
}

TEST_F(ResultsFolder, GivesTheLatestOfOneExperiment) {
  make("a-20250101T000000Z");
  make("b-20250102T000000Z");
  HistoryOptions options;
  options.last = 1;
  EXPECT_THAT(names(options), ElementsAre("b-20250102T000000Z"));
  options.experiment = "another";
  EXPECT_TRUE(names(options).empty());
}

TEST_F(ResultsFolder, AnswersWhereNoIndexCanBeKept) {
  make("a");
  make_directories(folder.path() + "/history.sqlite/in-its-place");
  EXPECT_THAT(names(), ElementsAre("a"));
  HistoryOptions rebuild;
  rebuild.rebuild = true;
  EXPECT_EQ(history_of(folder.path(), rebuild).size(), 1U);
}

TEST_F(ResultsFolder, NamesARunThatMayNotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  make("a");
  std::filesystem::permissions(folder.path() + "/a", std::filesystem::perms::none);
  const auto first = history_of(folder.path(), {});
  const auto second = history_of(folder.path(), {});
  std::filesystem::permissions(folder.path() + "/a", std::filesystem::perms::owner_all);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].status, "unreadable: Permission denied");
  EXPECT_EQ(second.size(), 1U);
  EXPECT_EQ(history_of(folder.path(), {}).at(0).status, "done");
}

// An index within a run would be taken for a part of what was measured.
TEST_F(ResultsFolder, ThatIsItselfARunIsRefusedAndLeftAsItIs) {
  make("a");
  const std::string run = folder.path() + "/a";
  try {
    history_of(run, {});
    FAIL() << "accepted";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("is itself a run"));
  }
  EXPECT_FALSE(std::filesystem::exists(run + "/history.sqlite"));
}

TEST(History, NeedsAFolder) {
  EXPECT_THROW(history_of("/nonexistent", {}), InvalidInput);
}

}  // namespace
}  // namespace retrystorm
