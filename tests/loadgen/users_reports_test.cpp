// What users of other load generators report as wrong, by its topic, where no other test of this
// folder is about it: figures that look good because of what they leave out.
#include "loadgen/report.hpp"
#include "tests/loadgen/run_generator.hpp"

namespace retrystorm::loadgen {
namespace {

using testing::HasSubstr;

// One request from its schedule to its end, on virtual time.
void book(Recorder& recorder, std::uint64_t number, Duration took, bool succeeded) {
  const Instant scheduled = instant_at(number * 1ms);
  Outgoing attempt;
  attempt.request = number;
  attempt.scheduled = attempt.sent = scheduled;
  recorder.offered(scheduled);
  recorder.sent(attempt);
  AttemptEnd end;
  end.outcome = succeeded ? AttemptOutcome::succeeded : AttemptOutcome::rejected;
  recorder.ended(attempt, end, scheduled + took);
  recorder.ended(
      Final{number, scheduled, succeeded ? RequestOutcome::succeeded : RequestOutcome::gave_up,
            succeeded ? Reason::none : Reason::attempts_used_up},
      scheduled + took);
}

TEST(FastFailures, DoNotFlatterTheMedianOfTheSuccesses) {
  const Scenario scenario;
  LiveCounts live(scenario.client.timeout);
  Recorder recorder(scenario, live);
  recorder.start({}, {});
  for (std::uint64_t i = 0; i < 100; ++i) book(recorder, i, i % 10 == 0 ? 50ms : 1ms, i % 10 == 0);
  Result r;
  r.seen = recorder.observed();
  const Tally tally = tally_of(r);
  EXPECT_EQ(tally.request.p50, 50);
  EXPECT_EQ(tally.attempt.p50, 50);
  EXPECT_EQ(tally.all.p50, 1);  // told apart, under its own name
  const std::string text = to_text(r);
  EXPECT_LT(text.find("succeeded, from schedule"), text.find("all requests, from schedule"));
}

TEST(ServerOfErrors, HoweverFastScoresNoGoodput) {
  Peer peer([](const Heard&) { return Answer{reply(500)}; });
  const Result r = run_generator(options_for(peer.url(), 50));
  const Tally tally = tally_of(r);
  EXPECT_EQ(tally.whole.goodput_per_s, 0);
  EXPECT_EQ(tally.counts.failed_status, 50);
  EXPECT_FALSE(tally.request.p50.has_value()) << "no success, no latency of one";
  const std::string text = to_text(r);
  EXPECT_LT(text.find("goodput             0.00"), text.find("offered"));
}

TEST(SlowConnection, CountsTowardsTheTimeoutAndItsRequestInEveryCount) {
  // Nobody accepts: wherever the wait is, the user's patience is the same.
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 10);
  options.scenario.client.timeout = 20ms;
  options.scenario.client.retries = 2;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::timed_out), 30U);
  EXPECT_EQ(count(r, RequestOutcome::gave_up), 10U);
  EXPECT_GE(r.seen.all.quantile(0), 60ms);
}

TEST(SameSeed, PlansTheSameRequestsInEveryRun) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 200);
  options.scenario.client.arrivals = ArrivalProcess::poisson;
  options.scenario.client.timeout = 1ms;
  const std::uint64_t first = run_generator(options).seen.offered;
  EXPECT_EQ(run_generator(options).seen.offered, first);
  options.scenario.seed = 2;
  options.scenario.client.arrivals = ArrivalProcess::even;
  EXPECT_EQ(run_generator(options).seen.offered, 200U) << "even: rate times duration, always";
}

TEST(RequestsInFlight, AreShownWhileTheyAreAndCountedIfTheyNeverEnd) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 10);
  options.scenario.client.timeout = 1h;
  options.scenario.drain_limit = 1h;
  Generator generator(options);
  generator.start();
  const auto in_flight = [&] { return generator.live().in_flight(); };
  while (in_flight() < 10) std::this_thread::yield();
  generator.leave();
  const Result r = generator.wait();
  expect_balanced(r);
  EXPECT_EQ(in_flight(), 0U);
  EXPECT_EQ(count(r, RequestOutcome::unfinished), 10U);
  EXPECT_THAT(to_text(r), HasSubstr("requests: 10 offered = 10 unfinished"));
}

}  // namespace
}  // namespace retrystorm::loadgen
