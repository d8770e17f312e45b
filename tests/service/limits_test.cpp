// What clients must not be able to do: hold what they do not use, or take the service down.
#include "core/net/limits.hpp"

#include "tests/service/health_watch.hpp"
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"

#include <csignal>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;

ServeOptions impatient_options() {
  ServeOptions options = plain_options();
  options.limits.sweep = 2ms;
  return options;
}

TEST(Limits, HalfARequestIsToldThatItIsTooSlow) {
  ServeOptions options = impatient_options();
  options.limits.head = options.limits.linger = 10ms;
  RunningService service(options);
  RawPeer half(service.address());
  half.send("GET / HTTP/1.1\r\nHo");
  EXPECT_EQ(half.reply().status, 408);
  EXPECT_TRUE(half.read_to_end());
  RawPeer mute(service.address());  // says nothing at all, and is told nothing
  std::string bytes;
  EXPECT_TRUE(mute.read_to_end(&bytes));
  EXPECT_EQ(bytes, "");
  // The first has been slow twice by then, over its request and over the close: it counts once.
  wait_until([&] { return service->counts().connections() == 0; }, "both are closed");
  EXPECT_EQ(service.stop().counts.timed_out, 2U);
}

TEST(Limits, HalfABodyIsToldThatItIsTooSlow) {
  ServeOptions options = impatient_options();
  options.limits.body = 10ms;
  RunningService service(options);
  RawPeer half(service.address());
  half.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhell");
  EXPECT_EQ(half.reply().status, 408);
  EXPECT_TRUE(half.read_to_end());
  EXPECT_EQ(service.stop().counts.arrived(), 0U);
}

TEST(Limits, AnIdleConnectionIsClosedWithoutAWord) {
  ServeOptions options = impatient_options();
  options.limits.idle = 10ms;
  RunningService service(options);
  RawPeer idle(service.address());
  idle.send(get("/healthz"));
  EXPECT_EQ(idle.reply().status, 200);
  std::string bytes;
  EXPECT_TRUE(idle.read_to_end(&bytes));
  EXPECT_EQ(bytes, "");
  service.stop();
}

TEST(Limits, AWaitingClientIsNotTimedOut) {
  ServeOptions options = impatient_options();
  options.limits.head = options.limits.idle = options.limits.body = 10ms;
  options.scenario.service.work = 200ms;
  RunningService service(options);
  RawPeer client(service.address());
  client.send(get("/"));
  EXPECT_EQ(client.reply().status, 200);
  service.stop();
}

TEST(Limits, AClientThatReadsNoRepliesIsCutOff) {
  ServeOptions options = impatient_options();
  options.limits.write = 20ms;
  RunningService service(options);
  RawPeer greedy(service.address());
  std::string many;
  for (int i = 0; i < 1000; ++i) many += get("/healthz");
  while (greedy.send(many)) {
  }
  wait_until([&] { return service->counts().connections() == 0; }, "it is cut off");
  RawPeer other(service.address());
  other.send(get("/healthz"));
  EXPECT_EQ(other.reply().status, 200);
  service.stop();
}

TEST(Limits, AClientThatTakesItsRepliesLateStillGetsThemAll) {
  RunningService service;
  RawPeer client(service.address());
  constexpr int each = 1000;
  constexpr int rounds = 40;  // 8 MB of replies: more than the sockets hold
  std::string many;
  for (int i = 0; i < each; ++i) many += get("/healthz", "X: 0123456789012345678901234567890\r\n");
  std::thread sender([&] {
    for (int i = 0; i < rounds; ++i) ASSERT_TRUE(client.send(many));
    client.shut_write();
  });
  wait_until([&] { return service->counts().opened == 1; }, "it is connected");
  int replies = 0;
  while (client.reply().status == 200) ++replies;
  sender.join();
  EXPECT_EQ(replies, each * rounds);
  service.stop();
}

TEST(Limits, HealthIsAnsweredWhileAThousandHalfRequestsAreOpen) {
  raise_descriptor_limit(8192);
  ServeOptions options = plain_options();
  options.metrics = Address{"127.0.0.1", 0};
  RunningService service(options);
  std::vector<std::unique_ptr<RawPeer>> halves;
  {
    const HealthWatch health(service.address());
    for (int i = 0; i < 1000; ++i) {
      halves.push_back(std::make_unique<RawPeer>(service.address()));
      const char* const half = i % 2 == 0
                                   ? "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nhalf"
                                   : "GET / HTTP/1.1\r\nHo";
      halves.back()->send(half);
    }
  }
  wait_until([&] { return service->counts().connections() == 1000; }, "all are in");
  for (const Address& address : {service.address(), *service->metrics_address()}) {
    RawPeer client(address);
    client.send(get("/healthz"));
    EXPECT_EQ(client.reply().status, 200);
  }
  EXPECT_EQ(service.stop().counts.arrived(), 0U);
}

TEST(Limits, BeyondTheConnectionCapNewOnesAreClosedAndCounted) {
  ServeOptions options = impatient_options();
  options.limits.guest = 10ms;  // to ask for the service's health; it asks for nothing
  options.scenario.service.max_connections = 3;
  options.threads = 2;
  RunningService service(options);
  std::vector<std::unique_ptr<RawPeer>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<RawPeer>(service.address()));
    clients.back()->send(get("/healthz"));
    EXPECT_EQ(clients.back()->reply().status, 200);
  }
  RawPeer(service.address()).read_to_end();
  clients.pop_back();
  wait_until([&] { return service->counts().connections() == 2; }, "there is room again");
  RawPeer again(service.address());
  again.send(get("/healthz"));
  EXPECT_EQ(again.reply().status, 200);
  EXPECT_EQ(service.stop().counts.over_cap, 1U);
}

// Restores a resource limit at the end.
class Limited {
 public:
  Limited(int resource, rlim_t value) : resource_(resource) {
    ::getrlimit(kind(), &before_);
    const rlimit now{value, before_.rlim_max};
    ::setrlimit(kind(), &now);
  }
  ~Limited() { ::setrlimit(kind(), &before_); }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;

 private:
  __rlimit_resource_t kind() const { return static_cast<__rlimit_resource_t>(resource_); }
  int resource_;
  rlimit before_{};
};

TEST(Limits, OutOfDescriptorsTheServiceTurnsClientsAwayAndGoesOn) {
  RunningService service;
  RawPeer first(service.address());
  first.send(get("/healthz"));
  EXPECT_EQ(first.reply().status, 200);
  {
    // The clients' sockets are there before the limit strikes; the service's are not.
    std::vector<std::unique_ptr<RawPeer>> clients;
    const Descriptor next(::open("/dev/null", O_RDONLY));
    const Limited few(RLIMIT_NOFILE, static_cast<rlim_t>(next.get()) + 4);
    // One process has both sides, so each connection takes two: soon there is none left for the
    // service's side, and then none for the client's.
    while (clients.size() < 10) {
      clients.push_back(std::make_unique<RawPeer>(service.address()));
      if (!clients.back()->connected()) break;
    }
    wait_until([&] { return service->counts().accept_errors > 0; }, "accepting fails");
    first.send(get("/healthz"));
    EXPECT_EQ(first.reply().status, 200);
  }
  RawPeer after(service.address());
  after.send(get("/healthz"));
  EXPECT_EQ(after.reply().status, 200);
  const ServiceReport& report = service.stop();
  EXPECT_GE(report.counts.accept_errors, 1U);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_NE(report.warnings[0].find("accepting connections failed"), std::string::npos);
}

TEST(Limits, AFullDiskUnderTheLedgerIsCountedAndReported) {
  std::signal(SIGXFSZ, SIG_IGN);
  ServeOptions options = plain_options();
  options.scenario.service.work = 1us;
  RunningService service(options);
  RawPeer client(service.address());
  constexpr std::uint64_t requests = 100;
  constexpr std::uint64_t room = 10;  // rows
  {
    const Limited disk(RLIMIT_FSIZE, sizeof(RecordFileHeader) + room * sizeof(ArrivalRecord));
    for (std::uint64_t i = 0; i < requests; ++i) {
      client.send(get("/"));
      EXPECT_EQ(client.reply().status, 200);
    }
    client.close();
    service.stop();
  }
  const ServiceReport& report = service.report();
  EXPECT_EQ(report.counts.completed, requests);
  EXPECT_EQ(report.ledger_lost, requests - room);
  EXPECT_EQ(service.arrivals().size(), room);  // whole rows, and readable
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_NE(report.warnings[0].find("90 ledger rows are lost"), std::string::npos)
      << report.warnings[0];
}

}  // namespace
}  // namespace retrystorm
