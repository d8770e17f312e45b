// What is said of a run in words, and what may not be.
#include "experiments/report/words/words.hpp"

#include "experiments/report/formats/markdown.hpp"
#include "experiments/report/words/arms.hpp"
#include "experiments/report/words/phrases.hpp"
#include "tests/experiments/report/made_up_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using ::testing::HasSubstr;
using ::testing::Not;

std::string all_words(const Words& words) {
  std::string text = words.headline;
  for (const Paragraph& p : words.paragraphs) text += "\n" + p.text;
  return text;
}

TEST(Words, SayTheCollapseItsCauseAndItsKnob) {
  const Words words = words_of(collapse());
  EXPECT_EQ(words.headline,
            "Past its limit the service kept working at full speed, for clients that had left.");
  const std::string text = all_words(words);
  EXPECT_THAT(text, HasSubstr("Offered 240/s, 1.2 times the 200/s that 4 workers can complete"));
  EXPECT_THAT(text, HasSubstr("Only the first 15 places are a useful queue"));
  EXPECT_THAT(text, HasSubstr("service.queue"));
  EXPECT_THAT(text, HasSubstr("Yes, all 4 arms."));
}

TEST(Words, PromiseNothingThatWasNotPredicted) {
  const fixture::Folder folder;
  fixture::Run run{fixture::small_collapse()};
  run.predicted = false;
  const Report report = fixture::make_run(folder.path(), run);
  const Words words = words_of(report);
  EXPECT_FALSE(words.advice);
  EXPECT_THAT(all_words(words), HasSubstr("What a change buys was not predicted in this run."));
  EXPECT_THAT(report_markdown(report, "DIR"), HasSubstr("Nothing was predicted in this run."));
}

TEST(Words, TellACureFromACollapse) {
  const fixture::Folder folder;
  fixture::Run run{fixture::small_collapse()};
  run.experiment.base.service.queue.reset();  // no longer than the client's patience
  const Words words = words_of(fixture::make_run(folder.path(), run));
  EXPECT_EQ(words.headline, "Past its limit the service refused the surplus and kept its goodput.");
  EXPECT_THAT(all_words(words), HasSubstr("The queue already fits the timeout"));
}

TEST(Words, DoNotVouchForWhatNoTrustedArmShows) {
  const fixture::Folder folder;
  fixture::Run run{fixture::small_collapse()};
  run.fate = [](const Arm&) {
    fixture::Fate fate;
    fate.slow_work = 1.03;
    return fate;
  };
  const Report report = fixture::make_run(folder.path(), run);
  const Words words = words_of(report);
  EXPECT_THAT(words.headline, ::testing::StartsWith("Not to be trusted: "));
  EXPECT_THAT(all_words(words), HasSubstr("No, none of the 4 arms."));
  EXPECT_EQ(trust_label(report), "not trusted");
}

// What a kill leaves unfinished is no failure of the service's.
TEST(Words, DoNotTakeACutForATroubledService) {
  const fixture::Folder folder;
  for (const ArmReport& arm : rough_run(folder.path()).arms) {
    if (arm.name == "</script><b>|`*_ rate=160") {
      ASSERT_EQ(arm.status, "killed");
      EXPECT_EQ(course_of(arm), Course::fine);
      return;
    }
  }
  FAIL() << "no killed arm";
}

// All are answered, but the last of them after the settled window.
TEST(Words, DoNotTakeAnOverloadThatWasTooShortForWorkInVain) {
  const fixture::Folder folder;
  fixture::Run run{fixture::small_collapse()};
  run.experiment.matrix.clear();
  run.experiment.base.client.rate = 240;
  run.experiment.base.client.duration = std::chrono::milliseconds(300);
  const Words words = words_of(fixture::make_run(folder.path(), run));
  EXPECT_EQ(words.headline, "Everything that was offered was answered in time.");
  EXPECT_THAT(all_words(words), HasSubstr("the run ended before its queue was full"));
}

TEST(Words, DoNotPlaceBelowTheLimitWhatIsPastIt) {
  Report report = collapse();
  std::erase_if(report.arms, [](const ArmReport& arm) { return arm.scenario.client.rate < 200; });
  for (ArmReport& arm : report.arms) arm.scenario.client.rate = 199;  // as if it had come in bursts
  EXPECT_EQ(words_of(report).headline,
            "Below its limit already the service kept working at full speed, for clients that had "
            "left.");
  for (ArmReport& arm : report.arms) {
    arm.measured->settled.abandoned_share = 0;  // other troubles
    arm.measured->counts.rejected = 0;
  }
  EXPECT_EQ(words_of(report).headline, "Not all that was offered was answered in time.");
}

// 22 losses of 2,000 are no "everything", wherever in the run they fell.
TEST(Words, CountTheLossesOfARunThatWentWell) {
  Report report = collapse();
  std::erase_if(report.arms, [](const ArmReport& arm) { return arm.scenario.client.rate > 200; });
  report.arms.resize(1);
  EXPECT_EQ(words_of(report).headline, "Everything that was offered was answered in time.");
  EXPECT_THAT(all_words(words_of(report)), HasSubstr("480 of 480 requests succeeded."));
  Tally& t = *report.arms[0].measured;
  t.counts.offered = 2000;
  t.counts.succeeded = 1978;
  t.counts.gave_up = 22;
  EXPECT_EQ(words_of(report).headline, "Of 2,000 requests 1,978 were answered in time.");
  EXPECT_THAT(all_words(words_of(report)), HasSubstr("1,978 of 2,000 requests succeeded."));
  EXPECT_THAT(all_words(words_of(report)), Not(HasSubstr("99 % of the requests")));
  report.arms.push_back(report.arms[0]);
  EXPECT_THAT(all_words(words_of(report)),
              HasSubstr("2 answered at least 99 % of their requests once settled"));
}

TEST(Words, SayAllOnlyOfAll) {
  EXPECT_EQ(share_words(1), "100 %");
  EXPECT_EQ(share_words(5979.0 / 6000), "99.65 %");
  EXPECT_EQ(share_words(0.999999), "99.99 %");
  EXPECT_EQ(share_words(0.00001), "under 0.01 %");
  EXPECT_EQ(share_words(0), "0 %");
  EXPECT_EQ(share_words(0.924), "92 %");
}

TEST(Words, SayThatNothingWasMeasured) {
  Report report;
  report.experiment = "empty";
  report.partial = true;
  EXPECT_EQ(words_of(report).headline, "Nothing was measured.");
  report.arms.emplace_back();
  EXPECT_EQ(words_of(report).headline, "Nothing was measured.");
  EXPECT_THAT(report_markdown(report, ""), HasSubstr("partial run"));
}

}  // namespace
}  // namespace retrystorm
