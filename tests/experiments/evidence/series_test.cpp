#include "experiments/evidence/series.hpp"

#include "experiments/evidence/run_directory.hpp"
#include "model/simulate/course.hpp"
#include "tests/experiments/report/fixture.hpp"

#include <numeric>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;

double sum(const Bins& bins) {
  return std::accumulate(bins.begin(), bins.end(), 0.0);
}

// The storm of the small collapse: 240/s on a ceiling of 200/s, with two retries.
class SeriesOfAStorm : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Arm& arm : arms_of(fixture::small_collapse(), "test")) scenario = arm.scenario;
    database.emplace(open_ledger(folder.path() + "/run.sqlite"));
    fixture::write_ledger(*database, key, scenario);
    tally = tally_from_ledger(*database, key, scenario);
    series = series_from_ledger(*database, key, scenario);
  }

  fixture::Folder folder;
  TryKey key{"storm", 0};
  Scenario scenario;
  std::optional<Database> database;
  Tally tally;
  Series series;
};

TEST_F(SeriesOfAStorm, CountsEveryEventThatTheTallyCounts) {
  ASSERT_GT(*tally.counts.abandoned, 0);
  EXPECT_EQ(sum(series.offered), *tally.counts.offered);
  EXPECT_EQ(sum(series.attempts), *tally.counts.attempts);
  EXPECT_EQ(sum(series.succeeded), *tally.counts.succeeded);
  EXPECT_EQ(sum(series.completed), *tally.counts.completed);
  const auto ended = [&](AttemptOutcome o) {
    return sum(series.ended[static_cast<std::size_t>(o)]);
  };
  EXPECT_EQ(ended(AttemptOutcome::rejected), *tally.counts.rejected);
  EXPECT_EQ(ended(AttemptOutcome::timed_out), *tally.counts.timed_out);
  EXPECT_EQ(sum(series.age_taken), *tally.counts.taken);
  EXPECT_EQ(sum(series.age_abandoned), *tally.counts.abandoned);
}

TEST_F(SeriesOfAStorm, SpendsOneWorkTimeOnEachCompletion) {
  const double work = seconds(scenario.service.work);
  EXPECT_NEAR(sum(series.useful), *tally.counts.taken * work, 1e-6);
  EXPECT_NEAR(sum(series.abandoned), *tally.counts.abandoned * work, 1e-6);
  EXPECT_EQ(sum(series.refusals), 0);
  EXPECT_EQ(sum(series.other), 0);
}

TEST_F(SeriesOfAStorm, NeverShowsMoreWorkThanTheWorkersHave) {
  const double most = seconds(series.bin) * static_cast<double>(scenario.service.workers);
  for (std::size_t i = 0; i < series.useful.size(); ++i) {
    EXPECT_LE(series.useful[i] + series.abandoned[i], most + 1e-9) << i;
  }
}

TEST_F(SeriesOfAStorm, FillsTheQueueAndNoMore) {
  const double fullest = *std::max_element(series.queue.begin(), series.queue.end());
  EXPECT_LE(fullest, static_cast<double>(queue_places(scenario)));
  EXPECT_GT(fullest, static_cast<double>(*useful_queue(scenario)));
}

// Who waits how long is the other way to the mean queue (Little).
TEST_F(SeriesOfAStorm, HoldsTheWaitsOfAllWhoWereServed) {
  Statement row(*database,
                "SELECT total(picked - arrived) FROM arrivals WHERE disposition = 'completed'");
  ASSERT_TRUE(row.step());
  EXPECT_NEAR(sum(series.queue) * seconds(series.bin), *row.only_column().number() * 1e-9, 1e-6);
}

TEST_F(SeriesOfAStorm, PutsWhatIsAbandonedBehindTheTimeout) {
  const auto timeout = static_cast<std::size_t>(scenario.client.timeout / series.age_bin);
  for (std::size_t i = 0; i < timeout - 1; ++i) EXPECT_EQ(series.age_abandoned[i], 0) << i;
  for (std::size_t i = timeout + 1; i < series.age_taken.size(); ++i) {
    EXPECT_EQ(series.age_taken[i], 0) << i;
  }
}

// The simulation knows nothing of the ledger, and its steps are made by cutting it off.
TEST_F(SeriesOfAStorm, IsPredictedStepByStep) {
  const Duration length = series.bin * static_cast<std::int64_t>(series.offered.size());
  const auto predicted = predict_series(scenario, length, series.bin);
  ASSERT_TRUE(predicted);
  const double step = seconds(predicted->step);
  EXPECT_EQ(predicted->step % series.bin, Duration::zero());
  EXPECT_NEAR(sum(predicted->goodput_per_s) * step, *tally.counts.succeeded, 1e-6);
  EXPECT_NEAR(sum(predicted->attempts_per_s) * step, *tally.counts.attempts, 1e-6);
  EXPECT_NEAR(sum(predicted->throughput_per_s) * step, *tally.counts.completed, 1e-6);
}

TEST(Series, IsEmptyForAnEmptyLedger) {
  const fixture::Folder folder;
  Database database = open_ledger(folder.path() + "/run.sqlite");
  EXPECT_TRUE(series_from_ledger(database, {"nobody", 0}, Scenario()).offered.empty());
}

TEST(Series, GivesEachRequestThatNobodyServedItsWaitToTheEnd) {
  const fixture::Folder folder;
  Database database = open_ledger(folder.path() + "/run.sqlite");
  database.execute(
      "INSERT INTO attempts VALUES ('a', 0, 0, 0, 0, NULL, 'unfinished', 0, 0, 0, NULL);"
      "INSERT INTO arrivals VALUES ('a', 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 'unfinished', "
      "NULL, 'no');"
      "INSERT INTO requests VALUES ('a', 0, 1, 950000000, 950000000, 'gave_up', 'none', 0);");
  const Series series = series_from_ledger(database, {"a", 0}, Scenario());
  ASSERT_EQ(series.queue.size(), 10U);
  for (const double waiting : series.queue) EXPECT_DOUBLE_EQ(waiting, 1);
}

TEST(BinWidth, IsAMultipleOfTheWorkTimeSoThatBatchesOfWorkersDoNotBeat) {
  EXPECT_EQ(bin_width(6s, 20ms), 100ms);
  EXPECT_EQ(bin_width(6s, 30ms), 90ms);
  EXPECT_EQ(bin_width(6s, 300ms), 100ms);
  EXPECT_EQ(bin_width(1h, 20ms) % 20ms, 0ms);
}

TEST(BinWidth, KeepsALongRunToTwelveHundredBins) {
  EXPECT_LE(1h / bin_width(1h, 20ms), 1200);
  EXPECT_LE(24h / bin_width(24h, 7ms), 1200);
}

}  // namespace
}  // namespace retrystorm
