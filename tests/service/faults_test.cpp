// What the machine may refuse the service, and a clock at its ugliest: each is counted, said once
// and survived.
#include "tests/faults/faults.hpp"

#include "core/error.hpp"
#include "core/random.hpp"
#include "tests/seed.hpp"
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;
using faults::Call;

void expect_health(const Address& address) {
  RawPeer client(address);
  client.send(get("/healthz"));
  EXPECT_EQ(client.reply().status, 200);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// Each of these ends a naive accept loop, or makes it spin.
class FailedAccept : public testing::TestWithParam<int> {};

TEST_P(FailedAccept, IsSaidOnceAndAcceptingBacksOffAndGoesOn) {
  testing::internal::CaptureStderr();
  RunningService service;
  RawPeer kept(service.address());
  kept.send(get("/healthz"));
  EXPECT_EQ(kept.reply().status, 200);
  constexpr std::uint64_t rounds = 3;
  const auto began = std::chrono::steady_clock::now();
  // A round fails twice: to take a client over, and with the reserve's descriptor to turn it away.
  faults::fail(Call::accept, GetParam(), 2 * rounds);
  RawPeer waiting(service.address());
  waiting.send(get("/healthz"));
  kept.send(get("/healthz"));
  EXPECT_EQ(kept.reply().status, 200) << "who is in is served meanwhile";
  EXPECT_EQ(waiting.reply().status, 200) << "who waited is taken over when it works again";
  EXPECT_GE(std::chrono::steady_clock::now() - began, rounds * 50ms);
  EXPECT_EQ(faults::heal(Call::accept), 2 * rounds);
  const ServiceReport& report = service.stop();
  EXPECT_EQ(report.counts.accept_errors, rounds);
  EXPECT_EQ(report.counts.turned_away, 0U);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(count_of(said, "accepting connections failed"), 1U) << said;
  EXPECT_EQ(count_of(said, std::strerror(GetParam())), 1U) << said;
  ASSERT_EQ(report.warnings.size(), 1U);
}

TEST_P(FailedAccept, TurnsTheWaitingAwayWithItsReserve) {
  RunningService service;
  faults::fail(Call::accept, GetParam(), 1);
  RawPeer waiting(service.address());
  waiting.read_to_end();
  wait_until([&] { return service->counts().accept_errors == 1; }, "accepting has failed");
  expect_health(service.address());
  const ServiceReport& report = service.stop();
  EXPECT_EQ(report.counts.turned_away, 1U);
  EXPECT_EQ(report.counts.accept_errors, 1U);
}

INSTANTIATE_TEST_SUITE_P(Errors, FailedAccept, testing::Values(EMFILE, ENFILE, ENOBUFS, ENOMEM),
                         [](const auto& error) { return ::strerrorname_np(error.param); });

TEST(Accept, OfOneThatWasGoneBeforeItsTurnIsNoError) {
  RunningService service;
  faults::fail(Call::accept, ECONNABORTED, 3);
  expect_health(service.address());
  EXPECT_EQ(service.stop().counts.accept_errors, 0U);
}

TEST(Watch, ThatTheKernelRefusesEndsThatConnectionOnly) {
  for (const int error : {ENOMEM, ENOSPC}) {
    RunningService service;
    expect_health(service.address());
    faults::fail(Call::watch, error, 1);
    RawPeer(service.address()).read_to_end();
    expect_health(service.address());
    EXPECT_EQ(service.stop().counts.opened, 3U);
  }
}

TEST(MetricsEndpoint, OutOfDescriptorsAnswersAgainWhenThereAreSome) {
  ServeOptions options = plain_options();
  options.metrics = Address{"127.0.0.1", 0};
  RunningService service(options);
  faults::fail(Call::watch, ENOMEM, 1);
  RawPeer(*service->metrics_address()).read_to_end();
  expect_health(*service->metrics_address());
  expect_health(service.address());
}

struct Threaded {
  const char* what;
  std::string flag;
  std::function<void(ServeOptions&)> want;
};

void PrintTo(const Threaded& threaded, std::ostream* out) {
  *out << threaded.what;
}

class Start : public testing::TestWithParam<Threaded> {};

TEST_P(Start, ThatFindsNoThreadSaysForWhatAndLeavesThePortFree) {
  ServeOptions options = plain_options();
  options.listen.port = [&] { return Service(options).address().port; }();
  GetParam().want(options);
  faults::fail(Call::thread, EAGAIN, 1);
  try {
    const Service service(options);
    ADD_FAILURE() << "it has started";
  } catch (const RunFailed& error) {
    const std::string said = error.what();
    EXPECT_TRUE(said.starts_with(GetParam().flag + ": no thread left")) << said;
    EXPECT_EQ(said.find('\n'), said.npos);
  }
  EXPECT_EQ(faults::heal(Call::thread), 1U);
  EXPECT_EQ(Service(options).address().port, options.listen.port);
}

INSTANTIATE_TEST_SUITE_P(Threads, Start,
                         testing::Values(Threaded{"OfALoop", "--threads",
                                                  [](ServeOptions& o) { o.threads = 3; }},
                                         Threaded{"OfTheMetrics", "--metrics",
                                                  [](ServeOptions& o) {
                                                    o.metrics = Address{"127.0.0.1", 0};
                                                  }},
                                         Threaded{"OfASpinner", "--work-kind spin",
                                                  [](ServeOptions& o) {
                                                    o.scenario.service.work_kind = WorkKind::spin;
                                                  }}),
                         [](const auto& threaded) { return threaded.param.what; });

// The steady clock should only go on, evenly. That of a machine under a hypervisor has been seen to
// leap, to stand and to step back.
class UglyClock : public testing::TestWithParam<std::tuple<WorkKind, std::uint32_t>> {};

TEST_P(UglyClock, BreaksNoIdentityAndKeepsEveryReply) {
  ServeOptions options = plain_options();
  options.scenario.service.work_kind = std::get<0>(GetParam());
  options.scenario.service.work = 1ms;
  options.scenario.service.workers = 2;
  options.scenario.service.queue = 3;
  options.threads = std::get<1>(GetParam());
  RunningService service(options);  // its end checks that no instant precedes another's
  const Seed seed(1);
  std::atomic<bool> busy{true};
  std::thread clock([&] {
    Random random(seed.value());
    Duration off{};
    while (busy) {
      const Duration next(static_cast<std::int64_t>(random() % 20'000'000));
      faults::shift_clock(next - off);  // up to 20 ms on or back
      off = next;
      std::this_thread::yield();
    }
    faults::shift_clock(-off);
  });
  std::atomic<std::uint64_t> replies{0};
  std::vector<std::thread> crowd;
  constexpr std::uint64_t each = 50;
  for (int c = 0; c < 8; ++c) {
    crowd.emplace_back([&] {
      RawPeer client(service.address());
      for (std::uint64_t i = 0; i < each; ++i) {
        client.send(get("/"));
        const int status = client.reply().status;
        if (status == 200 || status == 503) ++replies;
      }
    });
  }
  for (std::thread& client : crowd) client.join();
  busy = false;
  clock.join();
  EXPECT_EQ(replies, 8 * each);
  EXPECT_EQ(service.stop().counts.arrived(), 8 * each);
}

std::string clock_case(const testing::TestParamInfo<UglyClock::ParamType>& info) {
  return fmt::format("{}On{}Loops", case_name(std::get<0>(info.param)), std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Kinds, UglyClock,
                         testing::Combine(testing::Values(WorkKind::timer, WorkKind::sleep,
                                                          WorkKind::spin),
                                          testing::Values(1U, 2U)),
                         clock_case);

TEST(UglyClock, ThatLeapsAnHourFinishesTheWorkAndGoesOn) {
  ServeOptions options = plain_options();
  options.scenario.service.queue = 1;
  RunningService service(options);  // an hour of work
  RawPeer in_work(service.address());
  RawPeer queued(service.address());
  in_work.send(get("/"));
  queued.send(get("/"));
  wait_until([&] { return service->station().queued == 1; }, "both are in");
  faults::shift_clock(1h);
  RawPeer third(service.address());
  third.send(get("/"));  // what is due happens first, so there is a place
  EXPECT_EQ(in_work.reply().status, 200);
  faults::shift_clock(3h);
  expect_health(service.address());
  RawPeer fourth(service.address());
  fourth.send(get("/"));
  EXPECT_EQ(queued.reply().status, 200);
  EXPECT_EQ(third.reply().status, 200);
  faults::shift_clock(-4h);
  EXPECT_EQ(service.stop_at_once().counts.unfinished, 1U);
}

}  // namespace
}  // namespace retrystorm
