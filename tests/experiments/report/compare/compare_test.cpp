#include "experiments/report/compare/compare.hpp"

#include "core/error.hpp"
#include "core/tally_figures.hpp"
#include "experiments/evidence/run_directory.hpp"
#include "experiments/report/stored_report.hpp"
#include "tests/experiments/report/fixture.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using ::testing::HasSubstr;

const Tolerances tolerances;

// One arm at 240/s on the small bench, trusted, with whatever `change` does to it.
Report one_arm(const std::function<void(Scenario&)>& change = {},
               const std::function<fixture::Fate(const Arm&)>& fate = {}) {
  const fixture::Folder folder;
  fixture::Run run{fixture::small_collapse()};
  run.predicted = false;
  run.experiment.matrix.clear();
  run.experiment.base.client.rate = 240;
  if (change) change(run.experiment.base);
  if (fate) run.fate = fate;
  return fixture::make_run(folder.path() + "/run", run);
}

const FigureChange& figure(const Comparison& comparison, std::string_view path) {
  for (const FigureChange& f : comparison.arms.at(0).figures) {
    if (f.path == path) return f;
  }
  throw std::out_of_range(std::string(path));
}

TEST(Compare, FindsNoChangeInTheSameRun) {
  const Report report = one_arm();
  const Comparison comparison = compare(report, report, tolerances, false);
  EXPECT_EQ(comparison.verdict, Verdict::same);
  EXPECT_EQ(exit_code_of(comparison), exit_done);
}

TEST(Compare, CallsLostGoodputARegressionAndTheOtherWayAnImprovement) {
  const Report cured = one_arm([](Scenario& s) { s.service.queue.reset(); });
  const Report collapsed = one_arm();
  const Comparison worse = compare(cured, collapsed, tolerances, false);
  EXPECT_EQ(worse.verdict, Verdict::worse);
  EXPECT_EQ(figure(worse, "settled.goodput_per_s").verdict, Verdict::worse);
  EXPECT_EQ(figure(worse, "settled.abandoned_share").verdict, Verdict::worse);
  EXPECT_EQ(exit_code_of(worse), exit_failed);
  const Comparison better = compare(collapsed, cured, tolerances, false);
  EXPECT_EQ(figure(better, "settled.goodput_per_s").verdict, Verdict::better);
  EXPECT_EQ(exit_code_of(better), exit_done);
}

TEST(Compare, SaysWhichFieldsOfTheScenarioDiffer) {
  const Comparison comparison =
      compare(one_arm(), one_arm([](Scenario& s) { s.service.queue = 15; }), tolerances, false);
  ASSERT_EQ(comparison.arms.at(0).fields.size(), 1U);
  EXPECT_EQ(comparison.arms[0].fields[0].field, "service.queue");
  EXPECT_THAT(comparison_text(comparison, false, {}), HasSubstr("service.queue"));
}

// The few who were answered in a collapse were answered early.
TEST(Compare, DoesNotHoldLatenciesOfDifferentSuccessesAgainstEachOther) {
  const Comparison comparison =
      compare(one_arm(), one_arm([](Scenario& s) { s.service.queue.reset(); }), tolerances, false);
  const FigureChange& median = figure(comparison, "latency_ms.request.p50");
  EXPECT_GT(median.b, median.a + median.tolerance);
  EXPECT_EQ(median.verdict, Verdict::changed);
}

// More rejected are what a shorter queue is for.
TEST(Compare, DoesNotCallMoreRejectionsARegression) {
  const Comparison comparison =
      compare(one_arm(), one_arm([](Scenario& s) { s.service.queue.reset(); }), tolerances, false);
  const FigureChange& rejected = figure(comparison, "counts.rejected");
  EXPECT_GT(rejected.b, rejected.a + rejected.tolerance);
  EXPECT_EQ(rejected.verdict, Verdict::changed);
}

// A figure is doubled and more, all else left: whether it is told, and as what, stands in its row.
TEST(Compare, TellsEachFigureAsItsRowSays) {
  Report before = one_arm();
  Tally& steady = *before.arms[0].measured;
  steady.counts.succeeded = steady.counts.offered = 2000;  // enough for every quantile
  for (const TallyFigure& row : tally_figures) {
    Report after = before;
    row.in(steady) = row.in(steady).value_or(0);
    row.in(*after.arms[0].measured) = 2 * *row.in(steady) + 100;
    const Comparison comparison = compare(before, after, tolerances, false);
    const auto told =
        std::find_if(comparison.arms.at(0).figures.begin(), comparison.arms.at(0).figures.end(),
                     [&](const FigureChange& f) { return f.path == row.path(); });
    ASSERT_EQ(told != comparison.arms.at(0).figures.end(), row.compared != Compared::nowhere)
        << row.path();
    if (row.compared == Compared::nowhere) continue;
    EXPECT_EQ(told->verdict, row.better == Better::higher  ? Verdict::better
                             : row.better == Better::lower ? Verdict::worse
                                                           : Verdict::changed)
        << row.path();
  }
}

TEST(Compare, TellsWhatCanBeWorseFirst) {
  const Report report = one_arm();
  const std::vector<FigureChange> figures =
      compare(report, report, tolerances, false).arms.at(0).figures;
  EXPECT_EQ(figures.front().path, "whole.goodput_per_s");
  EXPECT_EQ(figures.at(1).path, "settled.goodput_per_s");
  EXPECT_EQ(figures.back().path, "whole.throughput_per_s");
  EXPECT_TRUE(std::is_partitioned(figures.begin(), figures.end(), [](const FigureChange& f) {
    return figure_of(f.path).better != Better::neither;
  }));
}

TEST(Compare, LetsAChangeBelowTheFloorPass) {
  Report before = one_arm();
  Report after = before;
  // Five events are the floor of a short arm.
  *after.arms[0].measured->counts.succeeded -= 5;
  EXPECT_EQ(figure(compare(before, after, tolerances, false), "counts.succeeded").verdict,
            Verdict::same);
  *after.arms[0].measured->counts.succeeded -= 1;
  EXPECT_EQ(figure(compare(before, after, tolerances, false), "counts.succeeded").verdict,
            Verdict::changed);
}

// 7 % of 100 attempts are seven events, as a count and as a rate; of 0.07 in binary fractions they
// would be a little more or less.
TEST(Compare, LetsADifferenceOfExactlyTheToleranceBe) {
  Report before = one_arm();
  for (std::int64_t percent = 6; percent <= 60; ++percent) {
    Tolerances some;
    some.attempts_ppm = percent * 10'000;
    for (const double seconds : {3.0, 6.7, 0.1}) {
      Tally& t = *before.arms[0].measured;
      t.whole.seconds = seconds;
      t.whole.attempts_per_s = 100 / seconds;
      t.counts.succeeded = 90;
      t.whole.goodput_per_s = 90 / seconds;
      Report after = before;
      const auto lose = [&](double events) {
        after.arms[0].measured->counts.succeeded = 90 - events;
        after.arms[0].measured->whole.goodput_per_s = (90 - events) / seconds;
        return compare(before, after, some, false);
      };
      const auto events = static_cast<double>(percent);
      EXPECT_EQ(figure(lose(events), "counts.succeeded").verdict, Verdict::same) << percent;
      EXPECT_EQ(figure(lose(events), "whole.goodput_per_s").verdict, Verdict::same) << percent;
      EXPECT_EQ(figure(lose(events + 1), "counts.succeeded").verdict, Verdict::changed) << percent;
      EXPECT_EQ(figure(lose(events + 1), "whole.goodput_per_s").verdict, Verdict::worse) << percent;
    }
  }
}

// 95 of 100 and 100 of 100 are 5 % apart, no more.
TEST(Compare, HoldsLatenciesOfSharesFivePercentApartAgainstEachOther) {
  Report before = one_arm();
  Report after = before;
  const auto set = [](Report& report, double succeeded, double p50) {
    Tally& t = *report.arms[0].measured;
    t.counts.offered = 100;
    t.counts.succeeded = succeeded;
    t.request.p50 = p50;
  };
  for (int least = 50; least <= 95; ++least) {
    set(before, least + 5, 10);
    set(after, least, 100);
    EXPECT_EQ(figure(compare(before, after, tolerances, false), "latency_ms.request.p50").verdict,
              Verdict::worse)
        << least;
  }
  set(before, 100, 10);
  set(after, 94, 100);
  EXPECT_EQ(figure(compare(before, after, tolerances, false), "latency_ms.request.p50").verdict,
            Verdict::changed);
}

// The same difference of the means: within what noisy repeats do by themselves, beyond what steady
// ones do.
TEST(Compare, AccountsForTheSpreadOfTheRepeats) {
  const auto repeated = [](std::vector<double> goodputs) {
    Report report = one_arm();
    ArmReport& arm = report.arms[0];
    arm.repeats.clear();
    for (const double goodput : goodputs) {
      arm.repeats.push_back(*arm.measured);
      arm.repeats.back().whole.goodput_per_s = goodput;
    }
    return report;
  };
  const Comparison noisy = compare(repeated({100, 140, 180, 120, 160}),
                                   repeated({80, 120, 160, 100, 140}), tolerances, false);
  EXPECT_EQ(figure(noisy, "whole.goodput_per_s").verdict, Verdict::same);
  EXPECT_TRUE(figure(noisy, "whole.goodput_per_s").by_spread);
  const Comparison steady = compare(repeated({139, 140, 141, 140, 140}),
                                    repeated({119, 120, 121, 120, 120}), tolerances, false);
  EXPECT_EQ(figure(steady, "whole.goodput_per_s").verdict, Verdict::worse);
  EXPECT_EQ(steady.arms[0].repeats_a, 5U);
}

// Welch's interval, by hand: both variances 250 (n = 5), se = 10, 8 degrees of freedom, t = 3.355.
TEST(Compare, TakesTheSpreadFromWelchsInterval) {
  Report report = one_arm();
  ArmReport& arm = report.arms[0];
  arm.repeats.assign(5, *arm.measured);
  const double values[] = {100, 110, 120, 130, 140};
  for (std::size_t i = 0; i < 5; ++i) arm.repeats[i].whole.goodput_per_s = values[i];
  EXPECT_NEAR(figure(compare(report, report, tolerances, false), "whole.goodput_per_s").tolerance,
              33.55, 0.01);
}

TEST(Compare, DoesNotJudgeAnArmThatIsNotTrusted) {
  const Report good = one_arm();
  const Report slow = one_arm({}, [](const Arm&) {
    fixture::Fate fate;
    fate.slow_work = 1.5;
    return fate;
  });
  const Comparison comparison = compare(good, slow, tolerances, false);
  EXPECT_EQ(comparison.arms.at(0).verdict, Verdict::unjudged);
  EXPECT_THAT(comparison.arms[0].why_unjudged, HasSubstr("not trusted in B"));
  EXPECT_EQ(exit_code_of(comparison), exit_untrusted);
  EXPECT_EQ(exit_code_of(compare(good, slow, tolerances, true)), exit_failed);
}

TEST(Compare, DoesNotJudgeAnArmOfWhichNothingWasMeasured) {
  const Report failed = one_arm({}, [](const Arm&) {
    fixture::Fate fate;
    fate.status = TryStatus::failed;
    return fate;
  });
  for (const bool judge_untrusted : {false, true}) {
    const Comparison comparison = compare(one_arm(), failed, tolerances, judge_untrusted);
    EXPECT_EQ(exit_code_of(comparison), exit_untrusted);
  }
}

// What there is of it is no whole run, whoever asks.
TEST(Compare, DoesNotJudgeAnArmThatDidNotComeToItsEnd) {
  const Report killed = one_arm({}, [](const Arm&) {
    fixture::Fate fate;
    fate.status = TryStatus::killed;
    fate.until = instant_at(std::chrono::seconds(1));
    return fate;
  });
  const Comparison comparison = compare(one_arm(), killed, tolerances, true);
  EXPECT_EQ(comparison.arms.at(0).verdict, Verdict::unjudged);
  EXPECT_THAT(comparison.arms[0].why_unjudged, HasSubstr("did not come to its end in B"));
  EXPECT_EQ(exit_code_of(comparison), exit_untrusted);
}

TEST(Compare, CountsAMissingArmAsARegression) {
  const fixture::Folder folder;
  fixture::Run run{fixture::small_collapse()};
  run.predicted = false;
  const Report whole = fixture::make_run(folder.path() + "/run", run);
  Report less = whole;
  less.arms.pop_back();
  EXPECT_EQ(exit_code_of(compare(whole, less, tolerances, false)), exit_failed);
  const Comparison more = compare(less, whole, tolerances, false);
  EXPECT_EQ(exit_code_of(more), exit_done);
  EXPECT_THAT(more.only_in_b, ::testing::ElementsAre(whole.arms.back().name));
}

TEST(Compare, ReadsARunDirectoryOrAReportFile) {
  const fixture::Folder folder;
  fixture::Run run{fixture::small_collapse()};
  run.predicted = false;
  fixture::make_run(folder.path() + "/run", run);
  const Comparison comparison =
      compare(report_at(folder.path() + "/run"), report_at(folder.path() + "/run/report.json"),
              tolerances, false);
  EXPECT_EQ(comparison.verdict, Verdict::same);
  EXPECT_THROW(report_at(folder.path() + "/nothing"), InvalidInput);
}

TEST(Compare, GivesMachinesWhatItGivesPeople) {
  const Comparison comparison =
      compare(one_arm([](Scenario& s) { s.service.queue.reset(); }), one_arm(), tolerances, false);
  const boost::json::value value = to_json(comparison);
  EXPECT_EQ(value.at("verdict").as_string(), "worse");
  EXPECT_EQ(value.at("arms").as_array().size(), 1U);
  EXPECT_EQ(value.at("arms").at(0).at("scenario").at(0).at("field").as_string(), "service.queue");
  EXPECT_TRUE(value.at("arms").at(0).at("figures").at(0).at("tolerance").is_number());
}

TEST(Compare, RefusesRunsWithoutAnArmInCommon) {
  Report before = one_arm();
  before.arms.push_back(before.arms.front());
  Report after = before;
  for (ArmReport& arm : after.arms) arm.name += " of another kind";
  EXPECT_THROW(compare(before, after, {}, false), InvalidInput);
}

TEST(Compare, SaysThatTheExperimentsAreNotTheSame) {
  const Report before = one_arm();
  Report after = before;
  after.experiment = "another";
  const Comparison comparison = compare(before, after, {}, false);
  EXPECT_EQ(comparison.verdict, Verdict::same);
  EXPECT_THAT(comparison_text(comparison, false, {}), HasSubstr("experiment: "));
}

}  // namespace
}  // namespace retrystorm
