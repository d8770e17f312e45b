#include "core/net/metrics_endpoint.hpp"

#include "core/net/listen.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <prometheus/text_serializer.h>

namespace retrystorm {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

using Response = http::response<http::string_body>;

constexpr auto patience = std::chrono::seconds(10);  // for a scraper that dawdles
constexpr std::uint32_t header_limit = 4096;
constexpr int most_connections = 64;

Response answer(const http::request<http::empty_body>& request,
                const MetricsEndpoint::Collect& collect) {
  Response response(http::status::ok, request.version());
  response.keep_alive(request.keep_alive());
  response.set(http::field::content_type, "text/plain; charset=utf-8");
  const auto target = request.target().substr(0, request.target().find('?'));
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    response.result(http::status::method_not_allowed);
    response.set(http::field::allow, "GET, HEAD");
    response.body() = "GET only\n";
  } else if (target == "/metrics") {
    response.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
    response.body() = prometheus::TextSerializer().Serialize(collect());
  } else if (target == "/healthz") {
    response.body() = "ok\n";
  } else {
    response.result(http::status::not_found);
    response.body() = "see /metrics and /healthz\n";
  }
  response.prepare_payload();
  if (request.method() == http::verb::head) response.body().clear();
  return response;
}

// One scraper's connection; it keeps itself alive through its handlers.
class Scraper : public std::enable_shared_from_this<Scraper> {
 public:
  Scraper(tcp::socket socket, const MetricsEndpoint::Collect& collect, int& open)
      : stream_(std::move(socket)), collect_(collect), open_(open) {
    ++open_;
  }
  ~Scraper() { --open_; }
  Scraper(const Scraper&) = delete;
  Scraper& operator=(const Scraper&) = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(header_limit);
    parser_->body_limit(0);
    stream_.expires_after(patience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       self->on_read(error);
                     });
  }

 private:
  void on_read(beast::error_code error) {
    if (error) return;  // left, too slow, or no HTTP: the connection closes
    response_ = answer(parser_->get(), collect_);
    stream_.expires_after(patience);
    http::async_write(
        stream_, response_,
        [self = shared_from_this()](beast::error_code e, std::size_t) { self->on_written(e); });
  }

  void on_written(beast::error_code error) {
    if (error) return;
    if (response_.keep_alive()) return read();
    stream_.socket().shutdown(tcp::socket::shutdown_send, error);
  }

  beast::tcp_stream stream_;
  const MetricsEndpoint::Collect& collect_;
  int& open_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  Response response_;
};

}  // namespace

class MetricsEndpoint::Server {
 public:
  Server(const Address& address, std::string_view flag, Collect collect)
      : collect_(std::move(collect)), acceptor_(listen_on(context_, address, flag)) {
    address_ = local_address(acceptor_);
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Server() {
    context_.stop();
    thread_.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const Address& address() const { return address_; }

 private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (error) return accept_later();  // out of descriptors, most likely
      if (open_ < most_connections) {
        std::make_shared<Scraper>(std::move(socket), collect_, open_)->read();
      }
      accept();
    });
  }

  void accept_later() {
    back_off_.expires_after(std::chrono::milliseconds(50));
    back_off_.async_wait([this](beast::error_code) { accept(); });
  }

  Collect collect_;
  int open_ = 0;  // outlives the scrapers, which the context destroys last
  Address address_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer back_off_{context_};
  std::thread thread_;
};

MetricsEndpoint::MetricsEndpoint(const Address& address, std::string_view flag, Collect collect)
    : server_(std::make_unique<Server>(address, flag, std::move(collect))) {}

MetricsEndpoint::~MetricsEndpoint() = default;

const Address& MetricsEndpoint::address() const {
  return server_->address();
}

}  // namespace retrystorm
