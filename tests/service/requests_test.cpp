// One table of requests as clients speak and misspeak them, against the service's port and against
// that of the metrics: both have the one reader.
#include "tests/case_name.hpp"
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"

#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

enum class Port { service, metrics };

void PrintTo(Port port, std::ostream* out) {
  *out << (port == Port::service ? "service" : "metrics");
}

struct Spoken {
  const char* what;
  std::string bytes;
  int status;
  // Good: the connection is kept. Bad: so it is too when it comes byte by byte.
  bool also = true;
  // Of the port of the metrics, which has no work; 0: as on the service's.
  int of_metrics = 0;
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
    {"post with a length", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello", 200,
     true, 404},
    {"post in chunks",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nA: "
     "b\r\n\r\n",
     200, true, 404},
    {"post of nothing in chunks",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200, true, 404},
    {"head", "HEAD / HTTP/1.1\r\nHost: t\r\n\r\n", 200, true, 404},
    {"options of all", "OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n", 200, true, 404},
    {"an empty line first", "\r\nGET / HTTP/1.1\r\nHost: t\r\n\r\n", 200, true, 404},
    {"many empty lines first", many_lines + "GET / HTTP/1.1\r\nHost: t\r\n\r\n", 200, true, 404},
    {"the same length twice",
     "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 200, true,
     404},
    {"1.0 without a host", "GET / HTTP/1.0\r\n\r\n", 200, false, 404},
    {"1.0 that keeps", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, true, 404},
    {"1.1 that closes", "GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n", 200, false, 404},
    {"an id of another shape", "GET / HTTP/1.1\r\nHost: t\r\nRetrystorm-Attempt: nonsense\r\n\r\n",
     200, true, 404},
    {"health", "GET /healthz HTTP/1.1\r\nHost: t\r\n\r\n", 200},
    {"health by 1.0", "GET /healthz HTTP/1.0\r\n\r\n", 200, false},
    {"health in absolute form", "GET http://t/healthz?a=b HTTP/1.1\r\nHost: t\r\n\r\n", 200},
    {"health with a body", "GET /healthz HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello",
     200},
    {"health with a body in chunks",
     "GET /healthz HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: "
     "chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
     200},
    {"head of health", "HEAD /healthz HTTP/1.1\r\nHost: t\r\n\r\n", 200},
    {"post to health", "POST /healthz HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello", 405},
    {"metrics", "GET /metrics HTTP/1.1\r\nHost: t\r\n\r\n", 404, true, 200},
    {"metrics in absolute form", "GET http://t:1/metrics HTTP/1.1\r\nHost: t\r\n\r\n", 404, true,
     200},
    {"metrics with a body", "GET /metrics HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello",
     404, true, 200},
    {"head of metrics", "HEAD /metrics HTTP/1.1\r\nHost: t\r\n\r\n", 404, true, 200},
    {"delete of metrics", "DELETE /metrics HTTP/1.1\r\nHost: t\r\n\r\n", 404, true, 405},
};

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
    {"a method without end", long_text, 501},
    {"a target too long", "GET /" + long_text + " HTTP/1.1\r\nHost: t\r\n\r\n", 414},
    {"a target too long in absolute form",
     "GET http://t/" + long_text + " HTTP/1.1\r\nHost: t\r\n\r\n", 414},
    {"a field too long", "GET / HTTP/1.1\r\nHost: t\r\nX: " + long_text + "\r\n\r\n", 431},
    {"fields too large in all",
     "GET / HTTP/1.1\r\nHost: t\r\nX: " + long_text.substr(4000) +
         "\r\nY: " + long_text.substr(4000) + "\r\n\r\n",
     431},
    {"a chunk extension too long",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n1;" + long_text, 400},
    {"another expectation", "GET / HTTP/1.1\r\nHost: t\r\nExpect: a miracle\r\n\r\n", 417},
};

class Request : public testing::TestWithParam<std::tuple<Port, Spoken>> {
 protected:
  Request() {
    ServeOptions options = plain_options();
    options.scenario.service.work = 1ms;
    options.scenario.service.queue = 100;
    options.metrics = Address{"127.0.0.1", 0};
    service_.emplace(std::move(options));
  }
  const Spoken& spoken() const { return std::get<Spoken>(GetParam()); }
  bool of_service() const { return std::get<Port>(GetParam()) == Port::service; }
  Address address() { return of_service() ? service_->address() : *(*service_)->metrics_address(); }

  std::optional<RunningService> service_;
};

class GoodRequest : public Request {};

TEST_P(GoodRequest, IsAnsweredWhetherItComesInOnePieceOrByteByByte) {
  const bool work = spoken().status == 200 && spoken().of_metrics == 404;
  const int status =
      of_service() || spoken().of_metrics == 0 ? spoken().status : spoken().of_metrics;
  for (const bool slowly : {false, true}) {
    RawPeer client(address());
    ASSERT_TRUE(slowly ? client.send_slowly(spoken().bytes) : client.send(spoken().bytes));
    const RawReply reply = client.reply(spoken().bytes.starts_with("HEAD"));
    EXPECT_EQ(reply.status, status);
    EXPECT_NE(reply.head.find("\r\nDate: "), std::string::npos);
    if (spoken().also) {
      client.send(get("/healthz"));
      EXPECT_EQ(client.reply().body, "ok\n");
    } else {
      EXPECT_TRUE(client.read_to_end());
    }
  }
  EXPECT_EQ(service_->stop().counts.completed, work && of_service() ? 2U : 0U);
}

class BadRequest : public Request {};

TEST_P(BadRequest, GetsItsStatusAndAClose) {
  for (const bool slowly : {false, true}) {
    if (slowly && !spoken().also) continue;
    RawPeer client(address());
    // It may be refused before it is all sent.
    slowly ? client.send_slowly(spoken().bytes) : client.send(spoken().bytes);
    const RawReply reply = client.reply();
    EXPECT_EQ(reply.status, spoken().status);
    EXPECT_NE(reply.head.find("\r\nConnection: close\r\n"), std::string::npos);
    EXPECT_NE(reply.head.find("\r\nDate: "), std::string::npos);
    EXPECT_EQ(reply.head.find("\r\nAllow: ") != std::string::npos, reply.status == 405);
    EXPECT_TRUE(client.read_to_end());  // in order: nothing destroys the reply on its way
  }
  const ServiceReport& report = service_->stop();
  EXPECT_EQ(report.counts.arrived(), 0U);
  EXPECT_EQ(report.counts.bad_requests, !of_service() ? 0U : spoken().also ? 2U : 1U);
}

std::string request_case(const testing::TestParamInfo<Request::ParamType>& info) {
  return (std::get<Port>(info.param) == Port::service ? "Service" : "Metrics") +
         case_name(std::get<Spoken>(info.param).what);
}

INSTANTIATE_TEST_SUITE_P(All, GoodRequest,
                         testing::Combine(testing::Values(Port::service, Port::metrics),
                                          testing::ValuesIn(good)),
                         request_case);
INSTANTIATE_TEST_SUITE_P(All, BadRequest,
                         testing::Combine(testing::Values(Port::service, Port::metrics),
                                          testing::ValuesIn(bad)),
                         request_case);

}  // namespace
}  // namespace retrystorm
