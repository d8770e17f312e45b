// Whether a load has settled as far as a client can tell, on virtual time: books are written by
// hand.
#include "loadgen/settled.hpp"

#include "loadgen/report.hpp"
#include "tests/loadgen/run_generator.hpp"

#include <boost/json.hpp>

namespace retrystorm::loadgen {
namespace {

using testing::HasSubstr;
using testing::Not;

// 100 requests/s, each ended after 1 ms as `ends` says of its number.
template <typename Ends>
Result booked(Duration duration, Ends ends) {
  Result r;
  r.options.scenario.client.rate = 100;
  r.options.scenario.client.duration = duration;
  LiveCounts live(r.options.scenario.client.timeout);
  Recorder recorder(r.options.scenario, live);
  recorder.start({}, {});
  for (std::uint64_t i = 0; instant_at(i * 10ms) < instant_at(duration); ++i) {
    Outgoing attempt;
    attempt.request = i;
    attempt.scheduled = attempt.sent = instant_at(i * 10ms);
    recorder.offered(attempt.scheduled);
    recorder.sent(attempt);
    const RequestOutcome outcome = ends(i);
    const Instant now = attempt.sent + 1ms;
    AttemptEnd end;
    end.outcome = outcome == RequestOutcome::succeeded    ? AttemptOutcome::succeeded
                  : outcome == RequestOutcome::unfinished ? AttemptOutcome::unfinished
                                                          : AttemptOutcome::rejected;
    recorder.ended(attempt, end, now);
    recorder.ended(Final{i, attempt.scheduled, outcome, Reason::none, 0}, now);
  }
  r.seen = recorder.observed();
  return r;
}

Result steady(Duration duration) {
  return booked(duration, [](std::uint64_t) { return RequestOutcome::succeeded; });
}

// Every request succeeds after 1 ms, so the last of a stage does so in the next one.
TEST(LoadInStages, GivesTheRatesOfEachByTheInstantsOfItsEvents) {
  const std::vector<Stage> stages = {{"", 100'000, 100'000, 991ms}, {"rest", 0, 0, 1s}};
  Result r;
  r.options.scenario.client.stages = stages;
  r.options.scenario.client.duration = 1991ms;
  LiveCounts live;
  Recorder recorder(r.options.scenario, live);
  recorder.start({}, {});
  for (std::uint64_t i = 0; i < 100; ++i) {
    Outgoing attempt;
    attempt.request = i;
    attempt.scheduled = attempt.sent = instant_at(i * 10ms);
    recorder.offered(attempt.scheduled);
    recorder.sent(attempt);
    AttemptEnd end;
    end.outcome = AttemptOutcome::succeeded;
    recorder.ended(attempt, end, attempt.sent + 1ms);
    recorder.ended(Final{i, attempt.scheduled, RequestOutcome::succeeded, Reason::none, 0},
                   attempt.sent + 1ms);
  }
  r.seen.merge(recorder.observed());
  const Tally tally = tally_of(r);
  ASSERT_EQ(tally.stages.size(), 2U);
  EXPECT_DOUBLE_EQ(tally.stages[0].whole.offered_per_s.value(), 100 / 0.991);
  EXPECT_DOUBLE_EQ(tally.stages[0].whole.attempts_per_s.value(), 100 / 0.991);
  EXPECT_DOUBLE_EQ(tally.stages[0].whole.goodput_per_s.value(), 99 / 0.991);
  EXPECT_EQ(tally.stages[1].whole.offered_per_s, 0);
  EXPECT_EQ(tally.stages[1].whole.goodput_per_s, 1);
  for (const StageRates& stage : tally.stages) {
    EXPECT_FALSE(stage.whole.throughput_per_s) << "the service's to answer";
    EXPECT_FALSE(stage.later.abandoned_share);
  }
  const std::string text = to_text(r);
  EXPECT_THAT(text,
              HasSubstr("  rest=0/s:1s                           0.00      0.00      1.00\n"));
  EXPECT_THAT(boost::json::serialize(to_json(r).at("tally").at("stages")),
              HasSubstr("\"stage\":\"rest=0/s:1s\""));
  EXPECT_THAT(to_text(steady(6s)), Not(HasSubstr("stage")));
}

TEST(SettledLoad, GivesTheRatesOfItsSettledPartAndSaysByWhatTheyWereJudged) {
  const Result r = steady(6s);
  const Tally tally = tally_of(r);
  ASSERT_EQ(tally.settling.reason, "");
  EXPECT_EQ(tally.settling.from_s, 2);
  EXPECT_EQ(tally.settling.to_s, 6);
  EXPECT_EQ(tally.settled.seconds, 4);
  EXPECT_EQ(tally.settled.offered_per_s, 100);
  EXPECT_EQ(tally.settled.goodput_per_s, 100);
  EXPECT_EQ(tally.settled.attempts_per_s, 100);
  EXPECT_FALSE(tally.settled.throughput_per_s) << "the service's to answer";
  EXPECT_THAT(tally.settling.note, HasSubstr("windows alone"));
  EXPECT_THAT(to_text(r), HasSubstr("whole     settled\n"));
  EXPECT_THAT(to_text(r), HasSubstr("settled from 2 s on: judged by the client's windows"));
}

void expect_unsettled(const Result& r, const std::string& reason) {
  const Tally tally = tally_of(r);
  EXPECT_THAT(tally.settling.reason, HasSubstr(reason));
  EXPECT_FALSE(tally.settled.goodput_per_s || tally.settled.offered_per_s);
  EXPECT_THAT(to_text(r), HasSubstr("not settled within "));
  EXPECT_THAT(to_text(r), HasSubstr(reason));
  EXPECT_THAT(to_text(r), Not(HasSubstr("whole     settled")));
  const boost::json::value settled = to_json(r).at("tally").at("settled");
  EXPECT_TRUE(settled.at("goodput_per_s").is_null());
  EXPECT_THAT(std::string(settled.at("reason").as_string()), HasSubstr(reason));
}

TEST(SettledLoad, NeedsThirtyWindows) {
  expect_unsettled(steady(2900ms), "29 windows of 100ms are too few, 30 take 3s");
  EXPECT_EQ(tally_of(steady(3s)).settling.reason, "");
}

TEST(SettledLoad, IsNoneWhoseGoodputStillFalls) {
  expect_unsettled(booked(6s,
                          [](std::uint64_t i) {
                            return (i * 7919) % 600 > i ? RequestOutcome::succeeded
                                                        : RequestOutcome::gave_up;
                          }),
                   "goodput still falls");
}

// Nothing tells it but the requests that are open: goodput stays as it is.
TEST(SettledLoad, IsNoneWhoseOpenRequestsStillRise) {
  expect_unsettled(booked(6s,
                          [](std::uint64_t i) {
                            return i % 2 == 0 ? RequestOutcome::succeeded
                                              : RequestOutcome::unfinished;
                          }),
                   "the number of open requests still rises");
}

TEST(SettledLoad, IsNoneThatWasInterrupted) {
  Result r = steady(6s);
  r.interrupted = true;
  expect_unsettled(r, "did not come to its end");
}

TEST(SettledLoad, IsTheSameOfSeveralThreads) {
  Result r = steady(6s);
  const Observed one = r.seen;
  r.seen.merge(one);
  EXPECT_EQ(tally_of(r).settled.goodput_per_s, 200);
}

TEST(SettledLoad, KeepsABoundedBookOfWindowsHoweverLongTheRun) {
  Scenario scenario;
  for (const Duration duration : {Duration(6s), Duration(10min), Duration(601s), Duration(100h)}) {
    scenario.client.duration = duration;
    const Windows windows = booked_windows(scenario);
    EXPECT_LE(windows.count, most_windows);
    EXPECT_GE(windows.length, least_window(scenario));
    const Duration left = duration - windows.length * static_cast<std::int64_t>(windows.count);
    EXPECT_GE(left, Duration::zero());
    EXPECT_LT(left, windows.length);
  }
}

}  // namespace
}  // namespace retrystorm::loadgen
