// What the machine may refuse the generator, and a clock at its ugliest: each is named, counted and
// survived, and nothing that was due is skipped.
#include "tests/faults/faults.hpp"

#include "core/random.hpp"
#include "loadgen/report.hpp"
#include "tests/loadgen/run_generator.hpp"
#include "tests/seed.hpp"

#include <atomic>
#include <cerrno>
#include <thread>

namespace retrystorm::loadgen {
namespace {

using faults::Call;
using testing::Contains;
using testing::HasSubstr;

struct Refusal {
  const char* what;
  Call call;
  int error;
  Reason reason;
};

void PrintTo(const Refusal& r, std::ostream* out) {
  *out << r.what;
}

class RefusedCall : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedCall, IsNamedForEachRequestThatItKeptFromBeingSent) {
  const Void nothing;  // so that each attempt takes a connection of its own
  LoadOptions options = options_for(nothing.url(), 100);
  options.scenario.client.timeout = 20ms;
  Generator generator(options);
  faults::fail(GetParam().call, GetParam().error, 30);
  generator.start();
  const Result r = generator.wait();
  EXPECT_EQ(faults::heal(GetParam().call), 30U);
  expect_balanced(r);
  EXPECT_EQ(count(r.seen.unsent, GetParam().reason), 30U);
  EXPECT_EQ(count(r, AttemptOutcome::timed_out), 70U);
  EXPECT_THAT(limited_by(r), Contains("30 of 100 requests were unsent for a shortage: 30 " +
                                      std::string(name(GetParam().reason))));
  EXPECT_THAT(to_text(r), HasSubstr("unsent:      30 " + std::string(name(GetParam().reason))));
}

TEST_P(RefusedCall, EndsARequestWhoseRetryItKeptFromBeingSent) {
  Peer peer([](const Heard&) {
    faults::fail(GetParam().call, GetParam().error, 1);
    return Answer{"", Answer::Then::reset};
  });
  LoadOptions options = options_for(peer.url(), 1);
  options.scenario.client.retries = 3;
  const Result r = run_generator(options);
  EXPECT_EQ(faults::heal(GetParam().call), 1U);
  EXPECT_EQ(count(r, AttemptOutcome::io_error), 1U);
  EXPECT_EQ(count(r.seen.gave_up, GetParam().reason), 1U);
  EXPECT_THAT(limited_by(r), Contains("1 retry was denied for a shortage: 1 " +
                                      std::string(name(GetParam().reason))));
}

INSTANTIATE_TEST_SUITE_P(
    Errors, RefusedCall,
    testing::Values(Refusal{"Descriptors", Call::socket, EMFILE, Reason::descriptors},
                    Refusal{"DescriptorsOfTheSystem", Call::socket, ENFILE, Reason::descriptors},
                    Refusal{"MemoryForASocket", Call::socket, ENOMEM, Reason::memory},
                    Refusal{"BuffersForASocket", Call::socket, ENOBUFS, Reason::memory},
                    Refusal{"Ports", Call::connect, EADDRNOTAVAIL, Reason::ports},
                    Refusal{"MemoryForAConnection", Call::connect, ENOMEM, Reason::memory},
                    Refusal{"RoutesForAConnection", Call::connect, EAGAIN, Reason::memory},
                    Refusal{"MemoryForWatching", Call::watch, ENOMEM, Reason::memory},
                    Refusal{"PlacesForWatching", Call::watch, ENOSPC, Reason::descriptors}),
    [](const auto& refusal) { return refusal.param.what; });

// With the port range nearly full of TIME_WAIT the kernel searches it in every connect().
TEST(GeneratorPorts, ThatTakeLongToFindAreWarnedOf) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 10);
  options.scenario.client.timeout = 1ms;
  faults::slow_down(Call::connect, 2ms);
  const Result r = run_generator(options);
  faults::slow_down(Call::connect, 0ms);
  EXPECT_EQ(r.seen.slow_connects, 10U);
  EXPECT_THAT(warnings_of(r), Contains(HasSubstr("10 of 10 connect() calls took over 1 ms")));
}

// Binding first would take a port out of the whole range, whatever the target.
TEST(GeneratorPorts, AreChosenByTheConnectionAndNeverBound) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 10);
  options.scenario.client.timeout = 1ms;
  const std::uint64_t before = faults::calls(Call::bind);
  EXPECT_EQ(run_generator(options).connections, 10U);
  EXPECT_EQ(faults::calls(Call::bind), before);
}

TEST(GeneratorClock, ThatLeapsMakesRequestsLateAndSkipsNone) {
  Peer peer([](const Heard& h) {
    if (h.nth == 10) faults::shift_clock(10s);
    return Answer{reply(200)};
  });
  const Result r = run_generator(options_for(peer.url(), 100));
  faults::shift_clock(-10s);
  EXPECT_EQ(r.seen.offered, 100U);
  EXPECT_EQ(count(r, RequestOutcome::succeeded), 100U);
  EXPECT_GE(r.seen.lag.quantile(1), 9s);
  EXPECT_GE(r.seen.request.quantile(1), 9s) << "the user waited";
  EXPECT_THAT(limited_by(r), Contains(HasSubstr("send lag max")));
}

TEST(GeneratorClock, ThatStepsBackAndForthBreaksNoIdentity) {
  Peer peer([](const Heard& h) {
    return h.nth % 5 == 0 ? Answer{} : Answer{reply(h.nth % 5 < 3 ? 503 : 200)};
  });
  for (const std::uint32_t threads : {1U, 2U}) {
    LoadOptions options = options_for(peer.url(), 200);
    options.threads = threads;
    options.scenario.client.retries = 2;
    options.scenario.client.timeout = 30ms;
    const Seed seed(threads);
    std::atomic<bool> busy{true};
    std::thread clock([&] {
      Random random(seed.value());
      Duration off{};
      while (busy) {
        const Duration next(static_cast<std::int64_t>(random() % 20'000'000));
        faults::shift_clock(next - off);
        off = next;
        std::this_thread::yield();
      }
      faults::shift_clock(-off);
    });
    const Result r = run_generator(options);
    busy = false;
    clock.join();
    EXPECT_EQ(r.seen.offered, 200U);
    EXPECT_EQ(count(r, RequestOutcome::unfinished), 0U);
    for (const LatencyHistogram* h : {&r.seen.lag, &r.seen.request, &r.seen.attempt}) {
      EXPECT_GE(h->quantile(0), Duration::zero());
      EXPECT_LE(h->quantile(0.5), h->quantile(1));
    }
    // No step makes the run much shorter than its schedule, and with it its rates absurd.
    const Tally tally = tally_of(r);
    EXPECT_GT(*tally.whole.seconds, 0.5 * seconds(options.scenario.client.duration));
    EXPECT_DOUBLE_EQ(*tally.whole.goodput_per_s * *tally.whole.seconds, *tally.counts.succeeded);
  }
}

TEST(GeneratorClock, ThatStopsBeforeTheFirstReplyClaimsNoRate) {
  Result r;  // everything within no time at all
  r.seen.offered = 5;
  r.seen.request_outcomes[static_cast<std::size_t>(RequestOutcome::succeeded)] = 5;
  EXPECT_FALSE(tally_of(r).whole.goodput_per_s.has_value());
  EXPECT_THAT(to_text(r), testing::Not(testing::AnyOf(HasSubstr("nan"), HasSubstr("inf"))));
}

}  // namespace
}  // namespace retrystorm::loadgen
