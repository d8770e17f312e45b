// Whether the service notices that a client has left: the count that an outage was blind for.
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;

// Work long enough for a client to leave while it is done, however slow this machine is just now.
ServeOptions half_a_second() {
  ServeOptions options = plain_options();
  options.scenario.service.work = 500ms;
  options.scenario.service.queue = 1;
  return options;
}

void wait_for_work(RunningService& service) {
  wait_until([&] { return service->station().busy == 1; }, "the request is in work");
}

void wait_for_completions(RunningService& service, std::uint64_t n) {
  wait_until([&] { return service->counts().completed == n; }, "the work is done");
}

TEST(ClientGone, IsSeenWhenItClosedBeforeTheReply) {
  RunningService service(half_a_second());
  RawPeer client(service.address());
  client.send(get("/"));
  wait_for_work(service);
  client.close();
  wait_for_completions(service, 1);
  EXPECT_EQ(service->counts().abandoned_seen, 1U);
  service.stop();
  ASSERT_EQ(service.arrivals().size(), 1U);
  EXPECT_EQ(service.arrivals()[0].seen_gone, SeenGone::at_reply);
  EXPECT_NE(service.arrivals()[0].replied, 0);  // it might have been a half-closed stranger
}

TEST(ClientGone, IsSeenWhenItResetBeforeTheReply) {
  RunningService service(half_a_second());
  RawPeer client(service.address());
  client.send(get("/"));
  wait_for_work(service);
  client.reset();
  wait_for_completions(service, 1);
  EXPECT_EQ(service->counts().abandoned_seen, 1U);
  service.stop();
  EXPECT_EQ(service.arrivals().at(0).seen_gone, SeenGone::at_reply);
  EXPECT_EQ(service.arrivals().at(0).replied, 0);  // nobody can take it
}

TEST(ClientGone, IsSeenBehindUnreadBytes) {
  RunningService service(half_a_second());
  RawPeer client(service.address());
  client.send(get("/"));
  wait_for_work(service);
  client.send(get("/"));  // stays unread while the first is in work, and would hide the end of file
  client.close();
  wait_for_completions(service, 2);
  service.stop();
  EXPECT_EQ(service.arrivals().at(0).seen_gone, SeenGone::at_reply);
}

TEST(ClientGone, IsNotSeenWhileItWaits) {
  RunningService service(half_a_second());
  RawPeer client(service.address());
  client.send(get("/"));
  wait_for_work(service);
  client.send(get("/healthz"));  // unread bytes alone say nothing
  EXPECT_EQ(client.reply().status, 200);
  EXPECT_EQ(client.reply().body, "ok\n");
  EXPECT_EQ(service.stop().counts.abandoned_seen, 0U);
}

TEST(ClientGone, AHalfClosedStrangerCountsAsGoneAndStillGetsItsReply) {
  RunningService service(half_a_second());
  RawPeer client(service.address());
  client.send(get("/"));
  client.shut_write();
  EXPECT_EQ(client.reply().status, 200);
  EXPECT_TRUE(client.read_to_end());
  EXPECT_EQ(service.stop().counts.abandoned_seen, 1U);
}

TEST(ClientGone, IsSeenLaterWhenItNeverReadTheReply) {
  ServeOptions options = plain_options();
  options.scenario.service.work = 1ms;
  RunningService service(options);
  RawPeer client(service.address());
  client.send(get("/", "Retrystorm-Attempt: 00000000000000cd-5-2\r\n"));
  client.wait_readable();
  client.close();  // with an unread reply: the kernel resets
  wait_until([&] { return service->counts().seen_later == 1; }, "the reset shows");
  const ServiceReport& report = service.stop();
  EXPECT_EQ(report.counts.abandoned_seen, 0U);
  ASSERT_EQ(service.amendments().size(), 1U);
  EXPECT_EQ(service.amendments()[0].token, 0xcdU);
  EXPECT_EQ(service.amendments()[0].request, 5U);
  EXPECT_EQ(service.amendments()[0].attempt, 2U);
  EXPECT_EQ(service.amendments()[0].arrived, service.arrivals().at(0).arrived);
  EXPECT_EQ(service.amendments()[0].seen_gone, SeenGone::later);
}

TEST(ClientGone, IsSeenLaterOnAConnectionThatWasToBeClosed) {
  ServeOptions options = plain_options();
  options.scenario.service.work = 1ms;
  RunningService service(options);
  RawPeer client(service.address());
  client.send(get("/", "Connection: close\r\n"));
  client.wait_readable();
  client.close();
  wait_until([&] { return service->counts().seen_later == 1; }, "the reset shows");
  service.stop();
}

TEST(ClientGone, IsNotSeenLaterWhenItReadTheReplyAndResetsAfterwards) {
  ServeOptions options = plain_options();
  options.scenario.service.work = 1ms;
  RunningService service(options);
  {
    RawPeer client(service.address());
    client.send(get("/"));
    EXPECT_EQ(client.reply().status, 200);
    client.send(get("/healthz"));
    EXPECT_EQ(client.reply().status, 200);
    client.reset();
  }
  wait_until([&] { return service->counts().connections() == 0; }, "the connection is gone");
  EXPECT_EQ(service.stop().counts.seen_later, 0U);
}

TEST(ClientGone, IsSeenInTheLastMomentWhenTheServiceStops) {
  ServeOptions options = plain_options();
  options.scenario.service.work = 1ms;
  RunningService service(options);
  for (int i = 0; i < 20; ++i) {
    RawPeer client(service.address());
    client.send(get("/"));
    client.wait_readable();
    client.close();
  }
  EXPECT_EQ(service.stop().counts.seen_later, 20U);
}

}  // namespace
}  // namespace retrystorm
