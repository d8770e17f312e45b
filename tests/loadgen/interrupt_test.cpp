// Interrupts at every moment: what was offered is accounted for, what was not is planned.
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "loadgen/load.hpp"
#include "tests/loadgen/run_generator.hpp"

#include <csignal>
#include <future>

#include <boost/json.hpp>
#include <unistd.h>

namespace retrystorm::loadgen {
namespace {

// 1,000 requests over ten seconds: far more than any of these tests waits for.
LoadOptions long_run(const Url& target) {
  LoadOptions options = options_for(target, 1);
  options.scenario.client.rate = 100;
  options.scenario.client.duration = 10s;
  return options;
}

TEST(GeneratorInterrupt, HalfwayEndsSendingAndDrains) {
  std::optional<Generator> generator;  // outlives the peer, whose script calls it
  Peer peer([&](const Heard& h) {
    if (h.nth == 20) generator->stop();
    return Answer{reply(200)};
  });
  LoadOptions options = long_run(peer.url());
  options.limits.send_lag_p99_ms = options.limits.send_lag_max_ms = 1e6;
  generator.emplace(options);
  generator->start();
  const Result r = generator->wait();
  expect_balanced(r);
  EXPECT_TRUE(r.interrupted);
  EXPECT_GE(r.seen.offered, 21U);
  EXPECT_EQ(r.planned, 1000 - r.seen.offered);
  EXPECT_EQ(count(r, RequestOutcome::succeeded), r.seen.offered);
  EXPECT_THAT(limited_by(r), testing::IsEmpty());
}

TEST(GeneratorInterrupt, BeforeTheStartOffersNothing) {
  const Void nothing;
  Generator generator(long_run(nothing.url()));
  generator.stop();
  generator.start();
  const Result r = generator.wait();
  expect_balanced(r);
  EXPECT_EQ(r.seen.offered, 0U);
  EXPECT_EQ(r.planned, 1000U);
  EXPECT_FALSE(tally_of(r).whole.goodput_per_s.has_value());  // nothing per no time is no rate
}

TEST(GeneratorInterrupt, AfterTheLastOfferPlansNothing) {
  std::optional<Generator> generator;  // outlives the peer, whose script calls it
  Peer peer([&](const Heard& h) {
    if (h.id.request == 9) generator->stop();
    return Answer{reply(200)};
  });
  generator.emplace(options_for(peer.url(), 10));
  generator->start();
  const Result r = generator->wait();
  expect_balanced(r);
  EXPECT_EQ(r.planned, 0U);
  EXPECT_EQ(count(r, RequestOutcome::succeeded), 10U);
}

TEST(GeneratorInterrupt, AfterTheEndChangesNothing) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  std::promise<void> ended;
  Generator generator(options_for(peer.url(), 10));
  generator.start([&] { ended.set_value(); });
  ended.get_future().wait();
  generator.stop();
  const Result r = generator.wait();
  EXPECT_FALSE(r.interrupted);
  EXPECT_EQ(count(r, RequestOutcome::succeeded), 10U);
}

TEST(GeneratorInterrupt, ASecondLeavesWhatIsInFlightAsUnfinished) {
  std::optional<Generator> generator;  // outlives the peer, whose script calls it
  Peer peer([&](const Heard& h) {
    if (h.nth == 10) {
      generator->stop();
      generator->leave();
    }
    return Answer{};
  });
  generator.emplace(long_run(peer.url()));
  generator->start();
  const Result r = generator->wait();
  expect_balanced(r);
  EXPECT_GE(count(r, AttemptOutcome::unfinished), 11U);
  EXPECT_EQ(count(r, AttemptOutcome::unfinished), r.seen.attempts);
  EXPECT_EQ(count(r, RequestOutcome::unfinished), r.seen.attempts);
}

TEST(GeneratorInterrupt, DuringBackoffGivesUpAsInterrupted) {
  std::optional<Generator> generator;  // outlives the peer, whose script calls it
  Peer peer([&](const Heard& h) {
    if (h.nth == 10) generator->stop();
    return Answer{reply(503)};
  });
  LoadOptions options = long_run(peer.url());
  options.scenario.client.retries = 3;
  options.scenario.client.backoff = 1h;
  generator.emplace(options);
  generator->start();
  const Result r = generator->wait();
  expect_balanced(r);
  EXPECT_GE(count(r.seen.gave_up, Reason::interrupted), 11U);
  EXPECT_EQ(count(r.seen.gave_up, Reason::interrupted), r.seen.offered);
}

TEST(GeneratorInterrupt, TheDrainIsLimited) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 10);
  options.scenario.drain_limit = 20ms;
  options.scenario.client.timeout = 1h;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::unfinished), 10U);
  EXPECT_FALSE(r.interrupted);
}

TEST(GeneratorInterrupt, AtAnyMomentEveryOfferedRequestIsAccountedFor) {
  for (std::uint64_t moment = 0; moment < 30; ++moment) {
    std::optional<Generator> generator;  // outlives the peer, whose script calls it
    Peer peer([&](const Heard& h) {
      if (h.nth == moment) moment % 2 == 0 ? generator->stop() : generator->leave();
      return h.nth % 3 == 0 ? Answer{} : Answer{reply(h.nth % 3 == 1 ? 503 : 200)};
    });
    LoadOptions options = long_run(peer.url());
    options.threads = static_cast<std::uint32_t>(1 + moment % 3);
    options.scenario.client.rate = 2000;
    options.scenario.client.retries = 2;
    options.scenario.client.timeout = 10ms;
    generator.emplace(options);
    generator->start();
    const Result r = generator->wait();
    expect_balanced(r);
    EXPECT_EQ(r.planned, 20'000 - r.seen.offered);
  }
}

boost::json::object load_interrupted(int signals) {
  Peer peer([&](const Heard& h) {
    if (h.nth == 10) {
      for (int i = 0; i < signals; ++i) ::kill(::getpid(), i == 0 ? SIGINT : SIGTERM);
    }
    return signals > 1 ? Answer{} : Answer{reply(200)};
  });
  LoadOptions options = long_run(peer.url());
  options.json = true;
  testing::internal::CaptureStdout();
  const int code = load(options);
  const std::string out = testing::internal::GetCapturedStdout();
  EXPECT_EQ(code, exit_interrupted);
  return parse_json(out, "stdout").as_object();
}

TEST(LoadInterrupt, ASignalReportsWhatThereIsAndExitsWith130) {
  const auto doc = load_interrupted(1);
  EXPECT_TRUE(doc.at("interrupted").as_bool());
  const JsonObject report(doc, "stdout");
  const JsonObject counts = report.object("tally").object("counts");
  EXPECT_GE(counts.number("succeeded"), 10);
  EXPECT_EQ(*report.number("planned") + *counts.number("offered"), 1000);
}

TEST(LoadInterrupt, TwoSignalsLeaveAtOnceWithTheUnfinishedCounted) {
  const auto doc = load_interrupted(2);
  const JsonObject counts = JsonObject(doc, "stdout").object("tally").object("counts");
  EXPECT_GE(counts.object("unfinished").number("attempts"), 11);
}

}  // namespace
}  // namespace retrystorm::loadgen
