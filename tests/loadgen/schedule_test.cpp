// The schedule is kept to the request, whatever the rate, the threads or the lateness of the loop.
#include "core/ledger.hpp"
#include "tests/loadgen/run_generator.hpp"
#include "tests/temporary_directory.hpp"

#include <cmath>
#include <future>
#include <set>

namespace retrystorm::loadgen {
namespace {

TEST(GeneratorSchedule, AwkwardRatesAreKeptExactly) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  for (const double rate : {70.0, 78.0, 997.0, 1234.5, 333.25, 9.0}) {
    LoadOptions options = options_for(peer.url(), 1);
    options.scenario.client.rate = rate;
    const Result r = run_generator(options);
    EXPECT_EQ(r.seen.offered, std::ceil(rate * 0.1)) << rate;
    EXPECT_EQ(count(r, RequestOutcome::succeeded), r.seen.offered) << rate;
  }
}

TEST(GeneratorSchedule, SharesOfThreadsMakeUpTheWhole) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  for (const auto process : {ArrivalProcess::even, ArrivalProcess::poisson}) {
    std::set<std::pair<std::uint64_t, std::int64_t>> plans[3];
    for (std::uint32_t threads = 1; threads <= 3; ++threads) {
      const TemporaryDirectory directory;
      LoadOptions options = options_for(peer.url(), 100);
      options.scenario.client.arrivals = process;
      options.threads = threads;
      options.ledger = directory.path();
      const Result r = run_generator(options);
      EXPECT_EQ(r.threads, threads);
      auto& plan = plans[threads - 1];
      for (std::uint32_t k = 0; k < threads; ++k) {
        const auto rows = read_ledger<RequestRecord>(directory.path() + "/requests-" +
                                                     std::to_string(k) + ".bin");
        EXPECT_EQ(rows.header.origin, nanoseconds_of(r.origin));
        for (const RequestRecord& row : rows.records) {
          plan.emplace(row.request, row.scheduled - rows.header.origin);
        }
      }
      EXPECT_EQ(plan.size(), r.seen.offered);
    }
    EXPECT_EQ(plans[0], plans[1]);
    EXPECT_EQ(plans[0], plans[2]);
  }
}

TEST(GeneratorSchedule, TheCapIsSharedAmongThreads) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 50);
  options.threads = 3;
  options.scenario.client.max_in_flight = 7;
  options.scenario.drain_limit = 1ms;
  const Result r = run_generator(options);
  EXPECT_EQ(r.seen.attempts, 7U);
  options.scenario.client.max_in_flight = 2;
  EXPECT_EQ(run_generator(options).threads, 2U);
}

TEST(GeneratorSchedule, LateRequestsLeaveAtOnceAndTheirLagIsTheirs) {
  // The loop is held while half the schedule passes.
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  Generator generator(options_for(peer.url(), 100));
  std::promise<void> held;
  generator.driver(0).post([&] {
    held.set_value();
    while (generator.elapsed() < 50ms) std::this_thread::yield();
  });
  generator.start();
  held.get_future().wait();
  const Result r = generator.wait();
  expect_balanced(r);
  EXPECT_EQ(r.seen.lag.count(), 100U);
  EXPECT_EQ(count(r, RequestOutcome::succeeded), 100U);
  EXPECT_GE(r.seen.late, 49U);
  EXPECT_GE(r.seen.lag.quantile(1), 50ms);
  EXPECT_GE(r.seen.request.quantile(1), 50ms);  // the user waited, whoever is to blame
  EXPECT_GE(r.seen.request.sum(), r.seen.attempt.sum() + r.seen.lag.sum());
  EXPECT_THAT(limited_by(r), testing::Contains(testing::HasSubstr("send lag p99")));
}

TEST(GeneratorSchedule, SpinningSendsTheSame) {
  Peer peer([](const Heard& h) { return Answer{reply(h.id.attempt == 0 ? 503 : 200)}; });
  LoadOptions options = options_for(peer.url(), 50);
  options.scenario.client.retries = 1;
  options.spin = 200us;
  EXPECT_EQ(count(run_generator(options), RequestOutcome::succeeded), 50U);
  options.spin = 1s;  // longer than the gaps: never sleeps
  EXPECT_EQ(count(run_generator(options), RequestOutcome::succeeded), 50U);
}

TEST(GeneratorSchedule, ARetryWaitsForItsBackoff) {
  Peer peer([](const Heard& h) { return Answer{reply(h.id.attempt == 0 ? 503 : 200)}; });
  const TemporaryDirectory directory;
  LoadOptions options = options_for(peer.url(), 20);
  options.scenario.client.retries = 1;
  options.scenario.client.backoff = 20ms;
  options.ledger = directory.path();
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, RequestOutcome::succeeded), 20U);
  std::map<std::uint64_t, std::int64_t> ended;
  for (const AttemptRecord& row :
       read_ledger<AttemptRecord>(directory.path() + "/attempts-0.bin").records) {
    if (row.attempt == 0) {
      ended[row.request] = row.ended;
    } else {
      EXPECT_GE(Duration(row.sent - ended.at(row.request)), 20ms);
    }
  }
  EXPECT_GE(r.seen.request.quantile(0), 20ms);
}

}  // namespace
}  // namespace retrystorm::loadgen
