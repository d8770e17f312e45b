// HTTP as clients speak and misspeak it: what is answered, with what, and what the connection does
// then.
#include "tests/service/health_watch.hpp"
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"

#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;

ServeOptions quick_options() {
  ServeOptions options = plain_options();
  options.scenario.service.work = 1ms;
  options.scenario.service.queue = 100;
  return options;
}

TEST(Http, HealthAndMetricsAreNoArrivals) {
  RunningService service(quick_options());
  RawPeer client(service.address());
  client.send(get("/healthz"));
  EXPECT_EQ(client.reply().status, 200);
  client.send(get("/healthz?deep=1"));
  EXPECT_EQ(client.reply().status, 200);
  client.send(get("http://test/healthz"));
  EXPECT_EQ(client.reply().body, "ok\n");
  client.send(get("/metrics"));
  EXPECT_EQ(client.reply().status, 404);
  client.send(get("/healthz/of/something"));
  EXPECT_EQ(client.reply().body, "done\n");
  EXPECT_EQ(service.stop().counts.arrived(), 1U);
}

TEST(Http, AnswersAPipelinedPairInOrder) {
  RunningService service(quick_options());
  RawPeer client(service.address());
  client.send(get("/a", "Retrystorm-Attempt: 00000000000000ab-1-0\r\n") + get("/healthz") +
              get("/b", "Retrystorm-Attempt: 00000000000000ab-2-0\r\n"));
  EXPECT_EQ(client.reply().body, "done\n");
  EXPECT_EQ(client.reply().body, "ok\n");
  EXPECT_EQ(client.reply().body, "done\n");
  service.stop();
  ASSERT_EQ(service.arrivals().size(), 2U);
  EXPECT_EQ(service.arrivals()[0].request, 1U);
  EXPECT_EQ(service.arrivals()[1].request, 2U);
  // One at a time: the second arrives when the first is answered.
  EXPECT_LE(service.arrivals()[0].replied, service.arrivals()[1].arrived);
}

TEST(Http, AnswersPipelinedRequestsOfAHalfClosedClient) {
  RunningService service(quick_options());
  RawPeer client(service.address());
  std::string all;
  for (int i = 0; i < 300; ++i) all += get("/");  // more than the buffer holds
  client.send(all);
  client.shut_write();
  for (int i = 0; i < 300; ++i) ASSERT_EQ(client.reply().status, 200);
  EXPECT_TRUE(client.read_to_end());
  EXPECT_EQ(service.stop().counts.completed, 300U);
}

TEST(Http, AsksForTheBodyOfAClientThatWaitsForIt) {
  RunningService service(quick_options());
  RawPeer client(service.address());
  client.send("POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(client.reply().status, 100);
  EXPECT_EQ(service->counts().arrived(), 0U);
  client.send("body");
  EXPECT_EQ(client.reply().status, 200);
  service.stop();
}

TEST(Http, ReadsTheWholeBodyBeforeItArrives) {
  RunningService service(quick_options());
  RawPeer client(service.address());
  const std::string body(std::size_t{1} << 20, 'b');
  client.send(fmt::format("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: {}\r\n\r\n", body.size()));
  RawPeer other(service.address());
  other.send(get("/"));
  EXPECT_EQ(other.reply().status, 200);
  client.send(body);
  EXPECT_EQ(client.reply().status, 200);
  service.stop();
  EXPECT_EQ(service.arrivals().at(0).replied < service.arrivals().at(1).arrived, true);
}

TEST(Http, DatesItsRepliesAnewEachSecond) {
  ServeOptions options = quick_options();
  options.metrics = Address{"127.0.0.1", 0};
  RunningService service(options);
  for (const Address& address : {service.address(), *service->metrics_address()}) {
    RawPeer client(address);
    const auto date = [&] {
      client.send(get("/healthz"));
      const std::string head = client.reply().head;
      const std::size_t at = head.find("\r\nDate: ");
      return at == head.npos ? std::string() : head.substr(at, 39);
    };
    const std::string first = date();
    EXPECT_TRUE(first.ends_with(" GMT\r\n")) << first;
    wait_until([&] { return date() != first; }, "the next second");
  }
}

TEST(Http, HeaderLinesThatTrickleInStayLimitedInAll) {
  RunningService service(quick_options());
  RawPeer client(service.address());
  client.send("GET / HTTP/1.1\r\nHost: t\r\n");
  const std::string line = "X: " + std::string(500, 'x') + "\r\n";
  for (int i = 0; i < 100 && client.send(line); ++i) {
  }
  EXPECT_EQ(client.reply().status, 431);
  service.stop();
}

// A client may leave after any byte, in order or not, and with any part of a request unread.
TEST(Http, SurvivesAClientThatLeavesAtEveryPossibleByte) {
  RunningService service(quick_options());
  std::optional<HealthWatch> health(service.address());
  const std::string request =
      "POST /x HTTP/1.1\r\nHost: t\r\nRetrystorm-Attempt: 00000000000000ab-1-0\r\n"
      "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" +
      get("/healthz");
  for (std::size_t bytes = 0; bytes <= request.size(); ++bytes) {
    for (const int how : {0, 1, 2}) {
      RawPeer client(service.address());
      client.send(std::string_view(request).substr(0, bytes));
      if (how == 0) client.close();
      if (how == 1) client.reset();
      if (how == 2) {
        client.shut_write();
        client.read_to_end();
      }
    }
  }
  health.reset();
  wait_until([&] { return service->counts().connections() == 0; }, "all have gone");
  service.stop();
}

TEST(Http, SurvivesAClientThatResetsAtEveryPossibleByteOfItsReply) {
  RunningService service(quick_options());
  std::size_t size = 0;
  {
    RawPeer client(service.address());
    client.send(get("/"));
    const RawReply reply = client.reply();
    size = reply.head.size() + reply.body.size();
  }
  std::optional<HealthWatch> health(service.address());
  for (std::size_t bytes = 0; bytes <= size; ++bytes) {
    RawPeer client(service.address());
    client.send(get("/"));
    client.wait_readable();
    ASSERT_TRUE(client.skip(bytes));
    client.reset();
  }
  health.reset();
  wait_until([&] { return service->counts().connections() == 0; }, "all have gone");
  EXPECT_EQ(service.stop().counts.completed, size + 2);
}

}  // namespace
}  // namespace retrystorm
