// What the machine refuses: descriptors, ports, the cap on attempts in flight. Each is a named
// outcome, and a loop that can send nothing still serves everything else.
#include "core/net/limits.hpp"

#include "core/policy/budgets.hpp"
#include "loadgen/load.hpp"
#include "loadgen/machine.hpp"
#include "tests/loadgen/run_generator.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace retrystorm::loadgen {
namespace {

TEST(GeneratorLimits, TheCapOnAttemptsInFlightIsKeptAndNamed) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 50);
  options.scenario.client.max_in_flight = 5;
  options.scenario.drain_limit = 10ms;
  const Result r = run_generator(options);
  EXPECT_EQ(r.seen.attempts, 5U);
  EXPECT_EQ(r.seen.most_in_flight, 5U);
  EXPECT_EQ(count(r.seen.unsent, Reason::in_flight_limit), 45U);
  EXPECT_EQ(count(r, AttemptOutcome::unfinished), 5U);
  EXPECT_EQ(count(r, RequestOutcome::unfinished), 5U);
  EXPECT_THAT(limited_by(r), testing::Not(testing::Contains(testing::HasSubstr("unsent"))))
      << "a cap that was asked for is part of the load";
}

TEST(GeneratorLimits, ThreadsWithABudgetDivideItsCallersAmongThem) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 50);
  options.scenario.client.budget = Budgets(TokenBucket{});
  options.threads = 0;
  EXPECT_EQ(resolve(options).threads, 1U);
  options.threads = 2;
  EXPECT_THROW(resolve(options), InvalidInput);
  options.scenario.client.callers = 6;
  EXPECT_EQ(resolve(options).threads, 2U);
  options.scenario.client.arrivals = ArrivalProcess::poisson;
  EXPECT_THROW(resolve(options), InvalidInput) << "whose request is which is drawn";
  options.scenario.client.budget = Budgets();
  EXPECT_EQ(resolve(options).threads, 2U);
}

TEST(GeneratorLimits, WhatABudgetKeepsBackIsNamedAndPartOfTheLoad) {
  Peer peer([](const Heard&) { return Answer{reply(503)}; });
  LoadOptions options = options_for(peer.url(), 20);
  options.scenario.client.retries = 3;
  options.scenario.client.budget = Budgets(TokenBucket{7, 0, DepositOn::request, 0});
  const Result spent = run_generator(options);
  EXPECT_EQ(spent.seen.attempts, 27U) << "seven retries, and no more";
  // Who spent the last token used its three retries up before, or did not: the sum is known.
  EXPECT_EQ(count(spent.seen.gave_up, Reason::budget_exhausted) +
                count(spent.seen.gave_up, Reason::attempts_used_up),
            20U);
  options.scenario.client.budget = Budgets(CircuitBreaker{0.5, 1, 10s, 1h, 1});
  const Result open = run_generator(options);
  EXPECT_GT(count(open.seen.unsent, Reason::breaker_open), 0U);
  EXPECT_EQ(count(open, RequestOutcome::unsent) + count(open, RequestOutcome::gave_up), 20U);
  EXPECT_THAT(limited_by(open), testing::Not(testing::Contains(testing::HasSubstr("unsent"))));
}

TEST(GeneratorLimits, TheCapOfTheMachineIsAShortage) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 50);
  options.scenario.client.max_in_flight.reset();
  EXPECT_TRUE(resolve(options).machine_caps_in_flight);
  options.scenario.client.max_in_flight = 5;
  EXPECT_FALSE(resolve(options).machine_caps_in_flight);
  options.machine_caps_in_flight = true;
  options.scenario.drain_limit = 10ms;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r.seen.unsent, Reason::in_flight_cap), 45U);
  EXPECT_THAT(limited_by(r), testing::Contains(testing::HasSubstr("45 in_flight_cap")));
}

TEST(GeneratorLimits, ARetryBeyondTheCapGivesUp) {
  // The cap of one is taken up by a request that is never answered when the other's backoff is
  // over.
  Peer peer([](const Heard& h) { return h.nth == 0 ? Answer{reply(503)} : Answer{}; });
  LoadOptions options = options_for(peer.url(), 2);
  options.scenario.client.max_in_flight = 1;
  options.scenario.client.retries = 1;
  options.scenario.client.backoff = 500ms;
  options.scenario.drain_limit = 1s;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::rejected), 1U);
  EXPECT_EQ(count(r.seen.gave_up, Reason::in_flight_limit), 1U);
  EXPECT_EQ(count(r, RequestOutcome::unfinished), 1U);
}

TEST(GeneratorLimits, UnsentRequestsDoNotStarveTheLoop) {
  // An hour of a rate that no loop can keep up with: ends only if replies and stop() get through.
  std::optional<Generator> generator;  // outlives the peer, whose script calls it
  Peer peer([&](const Heard& h) {
    if (h.nth == 5) generator->stop();
    return Answer{reply(200)};
  });
  LoadOptions options = options_for(peer.url(), 1);
  options.scenario.client.rate = 1e7;
  options.scenario.client.duration = 1h;
  options.scenario.client.max_in_flight = 1;
  generator.emplace(options);
  generator->start();
  const Result r = generator->wait();
  expect_balanced(r);
  EXPECT_GE(count(r, RequestOutcome::succeeded), 6U);
  EXPECT_EQ(r.planned, 36'000'000'000U - r.seen.offered);
}

TEST(GeneratorLimits, ErrorsOfMakingAnAttemptAreNamed) {
  struct Case {
    int error;
    bool made;
    Reason reason;
  };
  for (const Case c :
       {Case{EMFILE, false, Reason::descriptors}, Case{ENFILE, false, Reason::descriptors},
        Case{EADDRNOTAVAIL, false, Reason::ports}, Case{ENOMEM, false, Reason::memory},
        Case{ENOBUFS, false, Reason::memory}, Case{ECONNREFUSED, true, Reason::connection_refused},
        Case{ENETUNREACH, true, Reason::unreachable}, Case{EHOSTUNREACH, true, Reason::unreachable},
        Case{ETIMEDOUT, true, Reason::connect_failed}}) {
    EXPECT_EQ(connect_failure(c.error).made, c.made) << c.error;
    EXPECT_EQ(connect_failure(c.error).reason, c.reason) << c.error;
  }
  EXPECT_EQ(connect_failure(ECONNREFUSED).outcome, AttemptOutcome::connect_error);
}

TEST(GeneratorLimits, InFlightFollowsTheMachineWithAReserve) {
  EXPECT_EQ(most_in_flight(20'000, 0), 19'900);
  EXPECT_EQ(most_in_flight(100'000, 28'232), 25'409);
  EXPECT_EQ(most_in_flight(64, 28'232), 32);
  EXPECT_EQ(most_in_flight(20'000, 1), 1);
  EXPECT_EQ(most_in_flight(0, 0), 1);
}

TEST(GeneratorLimits, AMachineThatWouldRunOutOfPortsIsWarnedOf) {
  EXPECT_THAT(machine_warnings(28'232, true), testing::IsEmpty());
  EXPECT_THAT(machine_warnings(0, true), testing::IsEmpty());  // not known
  EXPECT_THAT(machine_warnings(1'000, true),
              testing::ElementsAre(testing::HasSubstr("ip_local_port_range")));
  EXPECT_THAT(machine_warnings(28'232, false),
              testing::ElementsAre(testing::HasSubstr("tcp_tw_reuse")));
}

// These change what the process may use, so each runs in a process of its own.
class GeneratorShortage : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  // 100 requests that nobody answers, each holding its connection for 20 ms.
  static Result load_the_void(const Void& nothing) {
    LoadOptions options = options_for(nothing.url(), 100);
    options.scenario.client.timeout = 20ms;
    return run_generator(options);
  }
  [[noreturn]] static void leave() { std::_Exit(testing::Test::HasFailure() ? 1 : 0); }

  static void few_descriptors() {
    const Void nothing;
    const auto open = std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    const auto limit = static_cast<rlim_t>(open + 15);
    const rlimit few{limit, limit};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    const Result r = load_the_void(nothing);
    EXPECT_GT(count(r.seen.unsent, Reason::descriptors), 0U);
    EXPECT_GT(count(r, AttemptOutcome::timed_out), 0U);
    EXPECT_EQ(count(r.seen.unsent, Reason::descriptors) + count(r, AttemptOutcome::timed_out),
              100U);
  }

  // A network of its own, so that its settings are ours. False where the system does not allow one.
  static bool enter_network(const char* setting, const char* value) {
    if (unshare(CLONE_NEWNET) != 0) return false;
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    ifreq up{{"lo"}, {}};
    up.ifr_flags = IFF_UP;
    std::ofstream file(std::string("/proc/sys/net/ipv4/") + setting);
    return ioctl(s, SIOCSIFFLAGS, &up) == 0 && file << value << std::flush;
  }
  // Whether that is possible, tried by a process that ends with it.
  static bool may_enter_network(const char* setting, const char* value) {
    const pid_t child = fork();
    if (child == 0) std::_Exit(enter_network(setting, value) ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
  }

  static void few_ports() {
    ASSERT_TRUE(enter_network("ip_local_port_range", "20000 20009"));
    const Void nothing;
    const Result r = load_the_void(nothing);
    EXPECT_GT(count(r.seen.unsent, Reason::ports), 0U);
    EXPECT_GT(count(r, AttemptOutcome::timed_out), 0U);
    EXPECT_EQ(count(r.seen.unsent, Reason::ports) + count(r, AttemptOutcome::timed_out), 100U);
    EXPECT_EQ(local_ports(), 10U);
  }

  static void ports_used_once() {
    ASSERT_TRUE(enter_network("tcp_tw_reuse", "0"));
    const Void nothing;
    LoadOptions options = options_for(nothing.url(), 1);
    options.scenario.client.timeout = 1ms;
    options.json = true;
    testing::internal::CaptureStdout();
    load(options);
    EXPECT_THAT(testing::internal::GetCapturedStdout(), testing::HasSubstr("tcp_tw_reuse is 0"));
  }

  // A process that may open no more than 64 files, but could ask for 4,096.
  static void a_low_limit() {
    rlimit low{64, 4096};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
    EXPECT_GE(raise_descriptor_limit(1000), 1000U);
    getrlimit(RLIMIT_NOFILE, &low);
    EXPECT_GE(low.rlim_cur, 1000U);
  }
};

TEST_F(GeneratorShortage, OfDescriptorsIsNamedAndSurvived) {
  EXPECT_EXIT(
      {
        few_descriptors();
        leave();
      },
      testing::ExitedWithCode(0), "");
}

constexpr const char* not_root = "needs a network of its own (unshare): run it as root";

TEST_F(GeneratorShortage, OfPortsIsNamedAndSurvived) {
  if (!may_enter_network("ip_local_port_range", "20000 20009")) GTEST_SKIP() << not_root;
  EXPECT_EXIT(
      {
        few_ports();
        leave();
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(GeneratorShortage, OfPortsThatAreUsedOnceOnlyIsWarnedOf) {
  if (!may_enter_network("tcp_tw_reuse", "0")) GTEST_SKIP() << not_root;
  EXPECT_EXIT(
      {
        ports_used_once();
        leave();
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(GeneratorShortage, OfDescriptorsIsMetByAHigherLimitWhereOneMayBeSet) {
  EXPECT_EXIT(
      {
        a_low_limit();
        leave();
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace retrystorm::loadgen
