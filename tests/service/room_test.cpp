// Where memory or places end: the newest is turned away, and whoever asks for health is heard.
#include "service/room.hpp"

#include "core/error.hpp"
#include "core/net/limits.hpp"
#include "core/net/metrics_endpoint.hpp"
#include "tests/service/health_watch.hpp"
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"

#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

using Crowd = std::vector<std::unique_ptr<RawPeer>>;

void expect_health(const Address& address) {
  RawPeer client(address);
  client.send(get("/healthz"));
  EXPECT_EQ(client.reply().status, 200);
}

TEST(Room, IsCutToTheMemoryAndSaysSo) {
  ConnectionLimits limits;
  limits.memory = std::uint64_t{1} << 40;
  const Room wanted{1000, false, {}};
  EXPECT_EQ(room_for_memory(wanted, limits).connections, 1000U);
  EXPECT_FALSE(room_for_memory(wanted, limits).short_of_resources);
  limits.memory = std::uint64_t{10} << 20;
  const Room cut = room_for_memory(wanted, limits);
  EXPECT_LT(cut.connections, 1000U);
  EXPECT_GT(cut.connections, 100U);
  EXPECT_TRUE(cut.short_of_resources);
  ASSERT_EQ(cut.warnings.size(), 1U);
  EXPECT_THAT(cut.warnings[0], HasSubstr("connections, not 1000"));
  limits.memory = 1000;
  EXPECT_THROW(room_for_memory(wanted, limits), RunFailed);
}

TEST(Room, ThatMemoryCutTurnsTheNewestAwayForWantOfResources) {
  ServeOptions options = plain_options();
  options.limits.memory = 200 * 1024;  // a few connections
  RunningService service(options);
  Crowd crowd;
  const auto turned_away = [&] { return service->counts().turned_away.read(); };
  while (turned_away() == 0 && crowd.size() < 1000) {
    crowd.push_back(std::make_unique<RawPeer>(service.address()));
    crowd.back()->send(get("/healthz"));
    const RawReply reply = crowd.back()->reply();
    ASSERT_EQ(reply.status, 200);  // a guest is heard, once
    if (reply.head.find("Connection: close") == std::string::npos) continue;
    RawPeer newest(service.address());
    newest.send(get("/"));
    EXPECT_TRUE(newest.reply().ended);
    wait_until([&] { return turned_away() > 0; }, "it is counted");
  }
  EXPECT_GT(crowd.size(), 1U);
  crowd[0]->send(get("/healthz"));
  EXPECT_EQ(crowd[0]->reply().status, 200) << "who is in is served";
  const ServiceReport& report = service.stop();
  EXPECT_EQ(report.counts.turned_away, 1U);
  EXPECT_EQ(report.counts.over_cap, 0U);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_THAT(report.warnings[0], HasSubstr("connections, not 10000"));
}

TEST(Places, OfHealthAreNotTakenByIdleConnections) {
  for (const std::uint32_t threads : {1U, 2U}) {
    ServeOptions options = plain_options();
    options.scenario.service.max_connections = 5;
    options.limits.guests = 4;
    options.limits.sweep = 2ms;
    options.limits.guest = 1h;  // only newer ones drive idle guests out
    options.threads = threads;
    RunningService service(options);
    Crowd crowd;
    for (int i = 0; i < 5; ++i) {
      crowd.push_back(std::make_unique<RawPeer>(service.address()));
      crowd.back()->send(get("/healthz"));
      EXPECT_EQ(crowd.back()->reply().status, 200);
    }
    for (int i = 0; i < 40; ++i) {
      crowd.push_back(std::make_unique<RawPeer>(service.address()));
      if (i % 2 == 0) crowd.back()->send("GET / HTTP/1.1\r\nHo");
    }
    expect_health(service.address());
    for (int i = 0; i < 5; ++i) {
      crowd[static_cast<std::size_t>(i)]->send(get("/healthz"));
      EXPECT_EQ(crowd[static_cast<std::size_t>(i)]->reply().status, 200) << "who was in stays in";
    }
    const ServiceReport& report = service.stop();
    EXPECT_EQ(report.counts.over_cap, 40U);
    EXPECT_EQ(report.counts.arrived(), 0U);
  }
}

TEST(Places, OfHealthServeNothingElse) {
  ServeOptions options = plain_options();
  options.scenario.service.max_connections = 1;
  RunningService service(options);
  RawPeer first(service.address());
  first.send(get("/healthz"));
  EXPECT_EQ(first.reply().status, 200);
  for (const std::string& request : {get("/"), std::string("nonsense\r\n\r\n")}) {
    RawPeer beyond(service.address());
    beyond.send(request);
    EXPECT_TRUE(beyond.reply().ended);
  }
  RawPeer guest(service.address());
  guest.send(get("/healthz"));
  const RawReply reply = guest.reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.head.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_TRUE(guest.read_to_end());
  guest.close();
  first.close();
  wait_until([&] { return service->counts().connections() == 0; }, "there is room again");
  RawPeer after(service.address());
  after.send(get("/healthz"));
  EXPECT_EQ(after.reply().head.find("\r\nConnection: close\r\n"), std::string::npos);
  const ServiceReport& report = service.stop();
  EXPECT_EQ(report.counts.over_cap, 2U);
  EXPECT_EQ(report.counts.bad_requests, 0U);
}

TEST(Places, OfTheMetricsGoToTheNewestWhereIdleOnesHoldThemAll) {
  ServeOptions options = plain_options();
  options.metrics = Address{"127.0.0.1", 0};
  RunningService service(options);
  const Address metrics = *service->metrics_address();
  Crowd crowd;
  for (std::size_t i = 0; i < MetricsEndpoint::most_connections; ++i) {
    crowd.push_back(std::make_unique<RawPeer>(metrics));
    if (i % 2 == 0) crowd.back()->send("GET /metrics HTTP/1.1\r\nHo");
  }
  expect_health(metrics);
  std::string nothing;
  crowd[0]->read_to_end(&nothing);
  EXPECT_EQ(nothing, "") << "the oldest gave way";
  crowd.back()->send(get("/healthz"));
  EXPECT_EQ(crowd.back()->reply().status, 200) << "the newer ones stay";
}

}  // namespace
}  // namespace retrystorm
