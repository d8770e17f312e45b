// The answer of a report in three figures.
#include "experiments/report/words/answer.hpp"

#include "experiments/report/formats/html.hpp"
#include "experiments/report/formats/html_answer.hpp"
#include "experiments/report/words/arms.hpp"
#include "tests/experiments/report/made_up_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using ::testing::HasSubstr;
using ::testing::Not;

// A goodput for each rate, of which all that is below the ceiling succeeds and half of the rest.
std::vector<CliffPoint> line(double ceiling, double beyond) {
  std::vector<CliffPoint> points;
  for (double rate = 100; rate <= 300; rate += 10) {
    const double goodput = rate <= ceiling ? rate : beyond;
    points.push_back({rate, goodput, goodput, rate, rate});
  }
  return points;
}

Answer answer(const Report& report, std::span<const CliffPoint> predicted = {}) {
  return answer_of(report, *subject_of(report), predicted, words_of(report));
}

TEST(Answer, BracketsTheFallByWhatWasMeasured) {
  const Answer a = answer(collapse());
  EXPECT_EQ(a.safe_up_to.measured_per_s, 160);
  EXPECT_EQ(a.falls_at.measured_per_s, 240);
  EXPECT_EQ(collapse().arms[a.falls_at.arm].scenario.client.retries, 0);  // the plainest arm's row
  EXPECT_FALSE(a.safe_up_to.predicted_per_s);
}

TEST(Answer, TellsWhatTheSimulationSaysBetween) {
  const Answer a = answer(collapse(), line(200, 10));
  EXPECT_EQ(a.safe_up_to.predicted_per_s, 200);
  EXPECT_EQ(a.falls_at.predicted_per_s, 210);
  EXPECT_EQ(a.safe_up_to.measured_per_s, 160);
}

// Whoever refuses the surplus and keeps its goodput is past what is safe, and does not fall.
TEST(Answer, CallsNoFallWhatKeepsItsGoodput) {
  const Answer a = answer(collapse(), line(200, 198));
  EXPECT_EQ(a.safe_up_to.predicted_per_s, 200);
  EXPECT_FALSE(a.falls_at.predicted_per_s);
}

TEST(Answer, BelievesNoArmThatIsNotTrusted) {
  Report report = collapse();
  for (ArmReport& arm : report.arms) arm.trusted = false;
  const Answer a = answer(report);
  EXPECT_FALSE(a.safe_up_to.known());
  EXPECT_FALSE(a.falls_at.known());
}

TEST(Answer, CallsNothingSafeBeyondALoadThatWasNot) {
  Report report = collapse();
  for (ArmReport& arm : report.arms) {  // as if it had recovered: 100 fails, 160 does not
    if (arm.scenario.client.rate > 200) arm.scenario.client.rate = 100;
  }
  const Answer a = answer(report);
  EXPECT_FALSE(a.safe_up_to.measured_per_s);
  EXPECT_EQ(a.falls_at.measured_per_s, 100);
}

TEST(Answer, NamesTheChangeThatBuysMost) {
  const Words words = words_of(collapse());
  const Answer a = answer(collapse());
  ASSERT_TRUE(a.knob);
  EXPECT_EQ(a.knob->field, words.advice->changes.front().field);
  for (const Change& change : words.advice->changes) {
    EXPECT_GE(a.knob->gain_per_s, change.gain_per_s);
  }
}

TEST(Answer, NamesNoChangeThatDoesNotHelp) {
  Words words = words_of(collapse());
  for (Change& change : words.advice->changes) change.gain_per_s = 0;
  EXPECT_FALSE(answer_of(collapse(), *subject_of(collapse()), {}, words).knob);
}

TEST(Answer, StandsFirstOnThePage) {
  const Pictures none{{}, {}, {}};
  const std::string html = answer_html(collapse(), none, words_of(collapse()));
  EXPECT_THAT(html, HasSubstr(">160/s</b> <small>measured</small>"));
  EXPECT_THAT(html, HasSubstr(">240/s</b> <small>measured</small>"));
  EXPECT_THAT(html, HasSubstr("Best knob"));
  const std::string page = report_html(
      collapse(), pictures_of(collapse(), collapse_folder().path()), collapse_folder().path());
  const auto at = [&](const char* mark) { return page.find(mark); };
  EXPECT_LT(at("class=\"answer\""), at("id=\"cliff\""));
  EXPECT_LT(at("id=\"cliff\""), at("id=\"story\""));
  EXPECT_LT(at("id=\"story\""), at("id=\"knobs\""));
  EXPECT_LT(at("id=\"knobs\""), at("id=\"goodput\""));
}

TEST(Answer, SaysThatNoChangeWasSimulated) {
  Words words = words_of(collapse());
  words.advice.reset();
  const std::string html = answer_html(collapse(), {{}, {}, {}}, words);
  EXPECT_THAT(html, HasSubstr("no change was simulated"));
  EXPECT_THAT(html, Not(HasSubstr("service.")));
}

}  // namespace
}  // namespace retrystorm
