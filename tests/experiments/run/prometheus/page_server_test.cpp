#include "experiments/run/prometheus/page_server.hpp"

#include "tests/temporary_directory.hpp"

#include <mutex>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Reply = http::response<http::string_body>;
using Request = http::request<http::empty_body>;

tcp::endpoint at(const Address& address) {
  return {asio::ip::make_address(address.host), address.port};
}

// A Prometheus that answers every question with the same words, and remembers what it was asked.
// It closes each connection after `per_connection` answers.
class Oracle {
 public:
  explicit Oracle(int per_connection = 1000)
      : acceptor_(context_, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0)),
        per_connection_(per_connection),
        thread_([this] { serve(); }) {}
  ~Oracle() {
    over_ = true;
    tcp::socket last(context_);  // wakes it
    beast::error_code error;
    last.connect(acceptor_.local_endpoint(), error);
    last.close(error);
    thread_.join();
  }
  Address address() const { return {"127.0.0.1", acceptor_.local_endpoint().port()}; }
  std::vector<std::string> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  void serve() {
    while (!over_) {
      beast::error_code error;
      tcp::socket socket = acceptor_.accept(error);
      beast::flat_buffer buffer;
      for (int i = 0; i < per_connection_ && !error; ++i) {
        Request request;
        http::read(socket, buffer, request, error);
        if (error) break;
        {
          const std::lock_guard lock(mutex_);
          asked_.emplace_back(request.target());
        }
        Reply reply(http::status::ok, 11);
        reply.set(http::field::access_control_allow_origin, "*");
        reply.body() = R"({"status":"success"})";
        reply.prepare_payload();
        http::write(socket, reply, error);
      }
    }
  }

  asio::io_context context_;
  tcp::acceptor acceptor_;
  int per_connection_;
  mutable std::mutex mutex_;
  std::vector<std::string> asked_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

// A browser's connection to the page's server.
class Visitor {
 public:
  explicit Visitor(const PageServer& server) : host_(server.address().text()), socket_(context_) {
    socket_.connect(at(server.address()));
  }
  Reply get(const std::string& target, const std::string& host = "", const std::string& origin = "",
            http::verb method = http::verb::get) {
    Request request(method, target, 11);
    request.set(http::field::host, host.empty() ? host_ : host);
    if (!origin.empty()) request.set(http::field::origin, origin);
    http::write(socket_, request);
    return answer(method == http::verb::head);
  }
  // What is answered to octets that are no request of ours.
  Reply say(const std::string& octets) {
    asio::write(socket_, asio::buffer(octets));
    return answer(false);
  }

 private:
  Reply answer(bool head) {
    http::response_parser<http::string_body> parser;
    parser.body_limit(std::uint64_t{16} << 20);
    parser.skip(head);
    http::read(socket_, buffer_, parser);
    return parser.release();
  }

  std::string host_;
  asio::io_context context_;
  tcp::socket socket_;
  beast::flat_buffer buffer_;
};

PageServerOptions options(const Address& prometheus, std::string run_file = "") {
  return {{"127.0.0.1", 0}, "--listen", prometheus, std::move(run_file)};
}

class PageServed : public ::testing::Test {
 protected:
  Oracle prometheus;
  TemporaryDirectory folder;
  PageServer server{
      options(prometheus.address(), folder.write("run.json", R"({"experiment":"small"})"))};
  Visitor visitor{server};
};

TEST_F(PageServed, HasThePageItsScriptsAndItsStyle) {
  const Reply page = visitor.get("/user/live/");
  EXPECT_EQ(page.result_int(), 200U);
  EXPECT_THAT(page.body(), HasSubstr("live.mjs"));
  EXPECT_THAT(std::string(page[http::field::content_type]), StartsWith("text/html"));
  for (const auto& [name, type] :
       {std::pair("/user/live/live.mjs", "text/javascript"),
        std::pair("/user/live/live.css", "text/css"),
        std::pair("/user/vendor/uplot/uPlot.iife.min.js", "text/javascript"),
        std::pair("/user/retrystorm.json", "application/json")}) {
    const Reply file = visitor.get(name);
    EXPECT_EQ(file.result_int(), 200U) << name;
    EXPECT_THAT(std::string(file[http::field::content_type]), StartsWith(type)) << name;
    EXPECT_FALSE(file.body().empty()) << name;
  }
  EXPECT_THAT(prometheus.asked(), IsEmpty());
}

TEST_F(PageServed, HasWhatTheRunSaysNow) {
  EXPECT_EQ(visitor.get("/user/run.json").body(), R"({"experiment":"small"})");
  folder.write("run.json", "{}");
  EXPECT_EQ(visitor.get("/user/run.json").body(), "{}");
}

TEST_F(PageServed, HasNothingElseOfTheDisk) {
  folder.write("secret", "s");
  for (const char* target : {"/user/secret", "/user/../secret", "/user/live/../../secret",
                             "/user/%2e%2e/secret", "/user//etc/passwd", "/user/", "/user/live"}) {
    EXPECT_EQ(visitor.get(target).result_int(), 404U) << target;
  }
}

TEST_F(PageServed, PassesQueriesOnAsTheyAre) {
  const std::string target =
      "/api/v1/query_range?query=sum%28x%7Ba%3D%22b%22%7D%29&start=1.5&end=2";
  const Reply reply = visitor.get(target);
  EXPECT_EQ(reply.result_int(), 200U);
  EXPECT_EQ(reply.body(), R"({"status":"success"})");
  EXPECT_EQ(visitor.get("/api/v1/query?query=up").result_int(), 200U);
  EXPECT_THAT(prometheus.asked(), ElementsAre(target, "/api/v1/query?query=up"));
}

TEST_F(PageServed, LetsNoOtherOriginReadAnAnswer) {
  const Reply reply = visitor.get("/api/v1/query?query=up");
  EXPECT_EQ(reply.count(http::field::access_control_allow_origin), 0U);
  EXPECT_EQ(std::string(reply["Cross-Origin-Resource-Policy"]), "same-origin");
  EXPECT_THAT(std::string(reply["Content-Security-Policy"]), HasSubstr("frame-ancestors 'none'"));
}

TEST_F(PageServed, AsksPrometheusNothingForStrangers) {
  const std::string target = "/api/v1/query?query=up";
  const std::string own = server.address().text();
  EXPECT_EQ(visitor.get(target, "evil.example").result_int(), 421U);
  EXPECT_EQ(visitor.get(target, own, "http://evil.example").result_int(), 403U);
  EXPECT_EQ(visitor.get(target, own, "", http::verb::post).result_int(), 405U);
  for (const char* other : {"/debug/pprof/", "/api/v1/targets", "/-/quit", "/metrics", "/graph"}) {
    EXPECT_EQ(visitor.get(other).result_int(), 404U) << other;
  }
  EXPECT_THAT(prometheus.asked(), IsEmpty());
  EXPECT_EQ(visitor.get(target, own, "http://" + own).result_int(), 200U);
}

TEST_F(PageServed, AnswersAHeadWithoutABody) {
  const Reply head = visitor.get("/user/live/", "", "", http::verb::head);
  EXPECT_EQ(head.result_int(), 200U);
  EXPECT_TRUE(head.body().empty());
  EXPECT_EQ(visitor.get("/user/live/").result_int(), 200U);
}

TEST_F(PageServed, SendsWhoeverComesToTheRootToThePage) {
  EXPECT_EQ(std::string(visitor.get("/")[http::field::location]), "/user/live/");
}

TEST_F(PageServed, SaysWhatIsWrongWithARequest) {
  EXPECT_EQ(visitor.say("no request\r\n\r\n").result_int(), 400U);
  EXPECT_EQ(
      Visitor(server).say("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx").result_int(),
      413U);
  EXPECT_EQ(Visitor(server).say("GET /" + std::string(20'000, 'a')).result_int(), 431U);
}

TEST(PageServer, AsksAgainWhereAKeptConnectionWasClosed) {
  const Oracle prometheus(1);
  const PageServer server(options(prometheus.address()));
  Visitor visitor(server);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(visitor.get("/api/v1/query?query=up").result_int(), 200U);
  }
}

TEST(PageServer, SaysThatPrometheusIsNotThere) {
  Address gone;
  {
    const Oracle prometheus;
    gone = prometheus.address();
  }
  const PageServer server(options(gone));
  const Reply reply = Visitor(server).get("/api/v1/query?query=up");
  EXPECT_EQ(reply.result_int(), 502U);
  EXPECT_THAT(reply.body(), HasSubstr(R"("status":"error")"));
  EXPECT_EQ(Visitor(server).get("/user/run.json").result_int(), 404U);
}

TEST(PageServer, ServesManyTabsAtOnce) {
  const Oracle prometheus;
  const PageServer server(options(prometheus.address()));
  std::vector<std::unique_ptr<Visitor>> tabs;
  for (int i = 0; i < 30; ++i) tabs.push_back(std::make_unique<Visitor>(server));
  for (const auto& tab : tabs) EXPECT_EQ(tab->get("/user/live/").result_int(), 200U);
}

}  // namespace
}  // namespace retrystorm
