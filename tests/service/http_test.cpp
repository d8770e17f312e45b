// HTTP as clients speak and misspeak it: what is answered, with what, and what the connection does
// then.
#include "tests/case_name.hpp"
#include "tests/service/health_watch.hpp"
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"

#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

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

struct Spoken {
  const char* what;
  std::string bytes;
  int status;
  // Good: the connection is kept. Bad: so it is too when it comes byte by byte.
  bool also = true;
};

void PrintTo(const Spoken& s, std::ostream* out) {
  *out << s.what;
}

const std::string many_lines = [] {
  std::string lines;
  for (int i = 0; i < 5000; ++i) lines += "\r\n";  // more than the buffer holds
  return lines;
}();

const Spoken good[] = {
    {"post with a length", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello", 200},
    {"post in chunks",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nA: "
     "b\r\n\r\n",
     200},
    {"post of nothing in chunks",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200},
    {"head", "HEAD / HTTP/1.1\r\nHost: t\r\n\r\n", 200},
    {"options of all", "OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n", 200},
    {"an empty line first", "\r\nGET / HTTP/1.1\r\nHost: t\r\n\r\n", 200},
    {"many empty lines first", many_lines + "GET / HTTP/1.1\r\nHost: t\r\n\r\n", 200},
    {"the same length twice",
     "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 200},
    {"1.0 without a host", "GET / HTTP/1.0\r\n\r\n", 200, false},
    {"1.0 that keeps", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200},
    {"1.1 that closes", "GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n", 200, false},
    {"an id of another shape", "GET / HTTP/1.1\r\nHost: t\r\nRetrystorm-Attempt: nonsense\r\n\r\n",
     200},
};

class GoodRequest : public testing::TestWithParam<Spoken> {};

TEST_P(GoodRequest, IsServedWhetherItComesInOnePieceOrByteByByte) {
  RunningService service(quick_options());
  for (const bool slowly : {false, true}) {
    RawPeer client(service.address());
    ASSERT_TRUE(slowly ? client.send_slowly(GetParam().bytes) : client.send(GetParam().bytes));
    EXPECT_EQ(client.reply(GetParam().bytes.starts_with("HEAD")).status, GetParam().status);
    if (GetParam().also) {
      client.send(get("/healthz"));
      EXPECT_EQ(client.reply().body, "ok\n");
    } else {
      EXPECT_TRUE(client.read_to_end());
    }
  }
  EXPECT_EQ(service.stop().counts.completed, 2U);
}

INSTANTIATE_TEST_SUITE_P(All, GoodRequest, testing::ValuesIn(good),
                         [](const auto& spoken) { return case_name(spoken.param.what); });

const std::string long_text(9000, 'x');

const Spoken bad[] = {
    {"no HTTP at all", "hello there\r\n\r\n", 400},
    {"TLS", "\x16\x03\x01\x02\x01\x01\xfc\x03\x03\r\n\r\n", 400},
    {"HTTP/0.9", "GET /\r\n\r\n", 400},
    {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
    {"HTTP/1.2", "GET / HTTP/1.2\r\nHost: t\r\n\r\n", 505},
    {"HTTP/3.0", "GET / HTTP/3.0\r\nHost: t\r\n\r\n", 505},
    {"HTTP/0.9 with its version", "GET / HTTP/0.9\r\nHost: t\r\n\r\n", 505},
    {"HTTP/11.1", "GET / HTTP/11.1\r\nHost: t\r\n\r\n", 400},
    {"HTTP of letters", "GET / HTTP/x.y\r\nHost: t\r\n\r\n", 400},
    // Byte by byte this one is only told by what never comes, and ends at the deadline instead.
    {"bare line feeds", "GET / HTTP/1.1\nHost: t\n\n", 400, false},
    {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
    {"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
    {"no path", "GET nowhere HTTP/1.1\r\nHost: t\r\n\r\n", 400},
    {"a NUL in the target", "GET /\0 HTTP/1.1\r\nHost: t\r\n\r\n"s, 400},
    {"a space in a field name", "GET / HTTP/1.1\r\nHost : t\r\n\r\n", 400},
    {"an unknown method", "BREW / HTTP/1.1\r\nHost: t\r\n\r\n", 501},
    {"connect", "CONNECT t:80 HTTP/1.1\r\nHost: t\r\n\r\n", 405},
    {"trace", "TRACE / HTTP/1.1\r\nHost: t\r\n\r\n", 405},
    {"a length that is none", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: x\r\n\r\n", 400},
    {"a negative length", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: -1\r\n\r\n", 400},
    {"a length beyond 64 bits",
     "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999999999999\r\n\r\n", 400},
    {"the longest length of 64 bits",
     "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 18446744073709551615\r\n\r\n", 413},
    {"the shortest length beyond 63 bits",
     "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9223372036854775808\r\n\r\n", 413},
    {"a length with a sign", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: +5\r\n\r\n", 400},
    {"two lengths", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
     400},
    {"length and chunks",
     "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
    {"chunks and length",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 400},
    {"chunks in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    {"gzip without chunks", "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: gzip\r\n\r\n", 400},
    {"gzip in chunks", "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
     501},
    {"a chunk size that is none",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc", 400},
    {"a chunk without its end",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabcdef\r\n", 400},
    {"a body too large", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1048577\r\n\r\n", 413},
    {"a chunk too large",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n", 413},
    {"the longest chunk of 64 bits",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", 413},
    {"a chunk beyond 64 bits",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 400},
    {"a method without end", long_text, 431},
    {"a target too long", "GET /" + long_text + " HTTP/1.1\r\nHost: t\r\n\r\n", 431},
    {"a field too long", "GET / HTTP/1.1\r\nHost: t\r\nX: " + long_text + "\r\n\r\n", 431},
    {"a chunk extension too long",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n1;" + long_text, 400},
    {"another expectation", "GET / HTTP/1.1\r\nHost: t\r\nExpect: a miracle\r\n\r\n", 417},
};

class BadRequest : public testing::TestWithParam<Spoken> {};

TEST_P(BadRequest, GetsItsStatusAndAClose) {
  RunningService service(quick_options());
  for (const bool slowly : {false, true}) {
    if (slowly && !GetParam().also) continue;
    RawPeer client(service.address());
    // It may be refused before it is all sent.
    slowly ? client.send_slowly(GetParam().bytes) : client.send(GetParam().bytes);
    const RawReply reply = client.reply();
    EXPECT_EQ(reply.status, GetParam().status);
    EXPECT_NE(reply.head.find("\r\nConnection: close\r\n"), std::string::npos);
    EXPECT_TRUE(client.read_to_end());  // in order: nothing destroys the reply on its way
  }
  const ServiceReport& report = service.stop();
  EXPECT_EQ(report.counts.arrived(), 0U);
  EXPECT_EQ(report.counts.bad_requests, GetParam().also ? 2U : 1U);
}

INSTANTIATE_TEST_SUITE_P(All, BadRequest, testing::ValuesIn(bad),
                         [](const auto& spoken) { return case_name(spoken.param.what); });

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
