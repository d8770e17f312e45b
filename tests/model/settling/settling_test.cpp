#include "model/settling/continuation.hpp"
#include "model/settling/simulate_settled.hpp"
#include "tests/model/scenarios.hpp"
#include "tests/model/settling/recall.hpp"
#include "tests/seed.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// A course that is known for ever: `goodput` of each window.
template <typename F>
Prolonged course(std::size_t windows, F goodput) {
  return {{100ms, windows}, 100ms, windows / 3, 1000, [goodput](std::size_t count) {
            WindowMeans means;
            for (std::size_t i = 0; i < count; ++i) {
              means.goodput_per_s.push_back(goodput(i));
              means.open.push_back(7);
            }
            means.queue = means.open;
            return std::optional(means);
          }};
}

TEST(Continuation, ThatGoesOnTheSameKeepsTheRunsOwnWindow) {
  const Continued c = settle(course(60, [](std::size_t i) { return i < 4 ? 0.0 : 800.0; }));
  ASSERT_TRUE(c.span);
  EXPECT_EQ(c.span->from, 20U);
  EXPECT_EQ(c.span->to, 60U);
  EXPECT_EQ(c.unsettled_run, "");
}

TEST(Continuation, SeesThePlateauBeforeAFall) {
  const Continued c = settle(course(60, [](std::size_t i) { return i < 80 ? 800.0 : 30.0; }));
  ASSERT_TRUE(c.span);
  EXPECT_GE(c.span->from, 80U) << "what is given is after the fall";
  EXPECT_THAT(c.unsettled_run, HasSubstr("goodput changes between 3s and 12s"));
}

TEST(Continuation, GivesTheSecondHalfOfTheFirstLengthThatAgrees) {
  const Continued c = settle(course(60, [](std::size_t i) { return i < 80 ? 800.0 : 30.0; }));
  ASSERT_TRUE(c.span);
  EXPECT_EQ(c.span->from, 120U);
  EXPECT_EQ(c.span->to, 240U);
}

TEST(Continuation, OfARunTooShortToJudgeIsJudgedWhenItIsLongEnough) {
  const Continued c = settle(course(24, [](std::size_t) { return 800.0; }));
  ASSERT_TRUE(c.span);
  EXPECT_EQ(c.span->to, 48U);
  EXPECT_EQ(c.unsettled_run, "24 windows of 100ms are too few, 30 take 3s");
}

TEST(Continuation, ThatNeverComesToRestGivesNothing) {
  const Continued c =
      settle(course(60, [](std::size_t i) { return 1000 / std::sqrt(1.0 + double(i)); }));
  EXPECT_GE(c.span.value_or(SettledSpan{500, 0}).from, 500U)
      << "changes of less than a hundredth of the load";
  const Continued rising = settle(course(60, [](std::size_t i) { return static_cast<double>(i); }));
  EXPECT_EQ(rising.span, std::nullopt);
  EXPECT_THAT(rising.reason, HasSubstr("goodput"));
}

TEST(Continuation, IsNotFollowedBeyondItsBudget) {
  Prolonged run = course(60, [](std::size_t i) { return static_cast<double>(i); });
  run.windows = [all = run.windows](std::size_t count) {
    return count > 200 ? std::nullopt : all(count);
  };
  const Continued c = settle(run);
  EXPECT_EQ(c.span, std::nullopt);
  EXPECT_THAT(c.reason, HasSubstr("more events than are simulated"));
}

TEST(Continuation, OfALongRunIsItsOwnSecondHalf) {
  std::size_t most = 0;
  Prolonged run = course(600, [](std::size_t) { return 500.0; });
  run.windows = [&most, all = run.windows](std::size_t count) {
    most = std::max(most, count);
    return all(count);
  };
  const Continued c = settle(run);
  ASSERT_TRUE(c.span);
  EXPECT_EQ(c.span->from, 200U);
  EXPECT_EQ(most, 600U) << "nothing more was asked for";
}

// A plateau of some seconds, and then retries bring it down.
Scenario falling() {
  return service_with_two_states(240);
}

TEST(Settled, IsNotThePlateauBeforeACollapse) {
  for (const Duration length : {Duration(6s), Duration(8s), Duration(10s), Duration(60s)}) {
    Scenario s = falling();
    s.client.duration = length;
    const Tally t = simulate_settled(s);
    Scenario longer = s;
    longer.client.duration = 10 * length;
    longer.settle = 5 * length;
    const double truth = simulate(longer).settled.goodput_per_s.value();
    ASSERT_TRUE(t.settled.goodput_per_s) << t.settling.reason;
    EXPECT_NEAR(*t.settled.goodput_per_s, truth, 0.03 * s.client.rate);
  }
}

TEST(Settled, OfARunTooShortAreTheRatesAfterItAndThatIsSaid) {
  const Tally t = simulate_settled(falling());
  EXPECT_GE(t.settling.from_s.value(), 6);
  EXPECT_EQ(t.settling.note,
            "not settled within 6s: 24 windows of 250ms are too few, 30 take 7.5s");
}

TEST(Settled, IsNotAQueueThatStillFills) {
  Scenario s;  // the queue passes its useful length after 79 s
  s.client.rate = 1001;
  const Tally t = simulate_settled(s);
  EXPECT_GE(t.settling.from_s.value(), 79);
  EXPECT_NEAR(*t.settled.goodput_per_s, 0, 10);
  EXPECT_THAT(t.settling.note, HasSubstr("rises"));
}

TEST(Settled, OfASettledRunAreTheRatesOfItsOwnWindow) {
  for (const double rate : {800.0, 1200.0}) {
    Scenario s;
    s.client.rate = rate;
    const Tally plain = simulate(s);
    const Tally t = simulate_settled(s);
    EXPECT_EQ(t.settling.reason, "");
    EXPECT_EQ(t.settling.from_s, 2);
    EXPECT_EQ(t.settling.to_s, 6);
    EXPECT_EQ(t.settling.note, "");
    EXPECT_EQ(t.settled.goodput_per_s, plain.settled.goodput_per_s);
    EXPECT_EQ(t.settled.throughput_per_s, plain.settled.throughput_per_s);
    EXPECT_EQ(t.settled.attempts_per_s, plain.settled.attempts_per_s);
    EXPECT_EQ(t.settled.offered_per_s, plain.settled.offered_per_s);
    EXPECT_EQ(t.settled.abandoned_share, plain.settled.abandoned_share);
    EXPECT_EQ(t.counts.attempts, plain.counts.attempts) << "counts stay the run's";
    EXPECT_EQ(t.whole.goodput_per_s, plain.whole.goodput_per_s);
  }
}

TEST(Settled, LiesInTheLastStage) {
  Scenario plain;
  plain.client.rate = 1200;
  Scenario s;
  s.client.stages = {{"", 800'000, 800'000, 3s}, {"", 1'200'000, 1'200'000, 6s}};
  s.client.rate = mean_rate(s.client.stages);
  s.client.duration = 9s;
  const Tally t = simulate_settled(s);
  EXPECT_EQ(t.settling.reason, "");
  EXPECT_EQ(t.settling.from_s, 5);
  EXPECT_EQ(t.settling.to_s, 9);
  EXPECT_EQ(t.settled.offered_per_s, 1200);
  EXPECT_NEAR(*t.settled.goodput_per_s, *simulate_settled(plain).settled.goodput_per_s, 12);
}

TEST(Settled, AfterARampIsAtTheRateThatItEndsWith) {
  Scenario s;
  s.client.stages = {{"", 100'000, 100'000, 2s}, {"", 200'000, 900'000, 6s}};
  s.client.rate = mean_rate(s.client.stages);
  s.client.duration = 8s;
  const Tally t = simulate_settled(s);
  ASSERT_TRUE(t.settled.goodput_per_s) << t.settling.reason;
  EXPECT_GE(t.settling.from_s.value(), 8);
  EXPECT_EQ(t.settled.offered_per_s, 900);
  EXPECT_EQ(t.settled.goodput_per_s, 900);
  EXPECT_THAT(t.settling.note, HasSubstr("not settled within 8s"));
}

TEST(Settled, SeveralSeedsAreJudgedTogetherAndSpread) {
  const Seed seed(1);
  Scenario s;
  s.seed = seed.value<std::int64_t>();
  s.client.arrivals = ArrivalProcess::poisson;
  s.client.rate = 700;
  const Tally t = simulate_settled_band(s, 4);
  ASSERT_TRUE(t.settled.goodput_per_s) << t.settling.reason;
  const Spread spread = t.spread.at("settled.goodput_per_s");
  EXPECT_NEAR(spread.mean, *t.settled.goodput_per_s, 1e-6);
  EXPECT_GT(spread.sd, 0);
}

TEST(Settled, RecordedArrivalsAreJudgedByTheirWindowsAloneAndThatIsSaid) {
  Scenario s = falling();
  s.client.duration = 10s;
  Replay replay;
  replay.first_sends.emplace();
  for (int i = 0; i < 2400; ++i) replay.first_sends->push_back(instant_at(i * 4'166'667LL));
  SimulateOptions options;
  options.replay = &replay;
  const Tally t = simulate_settled(s, options);
  EXPECT_THAT(t.settling.note, HasSubstr("windows alone"));
  EXPECT_LE(t.settling.to_s.value_or(0), 10);
}

// Ten of the hundred that the target settled_recall holds the rule against.
TEST(Settled, IsFoundWhereALongerRunAgreesAndAgreesWithIt) {
  int owed = 0;
  int missed = 0;
  int off = 0;
  for (const auto seed : seeds<std::uint64_t>(1, 10)) {
    const Judged j = judged(seed);
    owed += j.owed;
    missed += j.owed && !j.given;
    off += j.off;
  }
  EXPECT_LE(missed, 1) << "of " << owed;
  EXPECT_LE(off, 1);
}

}  // namespace
}  // namespace retrystorm
