#include "experiments/run/prometheus/page_session.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "experiments/run/prometheus/dashboard_files.hpp"

#include <chrono>

#include <boost/asio/ip/address.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr auto patience = std::chrono::seconds(60);        // for a browser that asks for nothing
constexpr auto query_patience = std::chrono::seconds(30);  // for Prometheus
constexpr std::uint32_t header_limit = 16 << 10;           // queries are long
constexpr std::uint64_t most_answer = std::uint64_t{64} << 20;

constexpr std::string_view json_type = "application/json";
constexpr std::string_view text_type = "text/plain; charset=utf-8";

// What the page needs is its own; no other page may frame it or read what it loads.
constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

std::string_view type_of(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> types[] = {
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".json", json_type}};
  for (const auto& [ending, type] : types) {
    if (name.ends_with(ending)) return type;
  }
  return text_type;
}

// Where a connection has arrived, IPv4 as such also on a socket of both families.
Address local_end(const tcp::socket& socket) {
  beast::error_code error;
  const tcp::endpoint end = socket.local_endpoint(error);
  asio::ip::address ip = end.address();
  if (ip.is_v6() && ip.to_v6().is_v4_mapped()) {
    ip = asio::ip::make_address_v4(asio::ip::v4_mapped, ip.to_v6());
  }
  return {ip.to_string(), end.port()};
}

// The status that tells what is wrong with what was read; 0 if there is nobody to tell.
int status_of(const beast::error_code& error) {
  if (error == http::error::end_of_stream || error == http::error::partial_message) return 0;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
  if (error == http::error::body_limit || error == http::error::unexpected_body) return 413;
  return error.category() == http::make_error_code(http::error::bad_value).category() ? 400 : 0;
}

}  // namespace

PageSession::PageSession(tcp::socket socket, Shared& shared)
    : stream_(std::move(socket)),
      shared_(shared),
      here_(local_end(stream_.socket())),
      prometheus_(stream_.get_executor()) {
  ++shared_.open;
}

PageSession::~PageSession() {
  --shared_.open;
}

void PageSession::read() {
  parser_.emplace();
  parser_->header_limit(header_limit);
  parser_->body_limit(std::uint64_t{0});
  stream_.expires_after(patience);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](Error error, std::size_t) { self->on_read(error); });
}

void PageSession::on_read(Error error) {
  response_ = Response();
  last_ = error.failed() || !parser_->get().keep_alive();
  if (!error) return answer(judge_page_request(parser_->get(), here_));
  if (const int status = status_of(error)) refuse(status, error.message());
}

void PageSession::answer(const PageVerdict& verdict) {
  switch (verdict.ask) {
    case PageAsk::refused:
      if (verdict.status == 405) response_.set(http::field::allow, "GET, HEAD");
      return refuse(verdict.status, verdict.why);
    case PageAsk::home:
      response_.set(http::field::location, "/user/live/");
      return reply(302, text_type, "the page is at /user/live/\n");
    case PageAsk::run:
      try {
        if (shared_.run_file.empty()) return refuse(404, "no run");
        return reply(200, json_type, read_file(shared_.run_file));
      } catch (const std::exception&) {
        return refuse(404, "no run");
      }
    case PageAsk::file:
      for (const EmbeddedFile& file : dashboard_files()) {
        if (file.name == verdict.name)
          return reply(200, type_of(file.name), std::string(file.text));
      }
      return refuse(404, "no such file");
    case PageAsk::query:
      return ask_prometheus(std::string(parser_->get().target()));
  }
}

void PageSession::refuse(int status, std::string_view why) {
  reply(status, text_type, printable(why) + "\n");
}

void PageSession::reply(int status, std::string_view type, std::string body) {
  response_.result(static_cast<unsigned>(status));
  response_.version(11);
  response_.keep_alive(!last_);
  response_.set(http::field::content_type, beast::string_view(type.data(), type.size()));
  response_.set(http::field::cache_control, "no-store");
  response_.set("Content-Security-Policy",
                beast::string_view(content_policy.data(), content_policy.size()));
  response_.set("Cross-Origin-Resource-Policy", "same-origin");
  response_.set("X-Content-Type-Options", "nosniff");
  response_.set("Referrer-Policy", "no-referrer");
  response_.body() = std::move(body);
  response_.prepare_payload();
  if (parser_->is_header_done() && parser_->get().method() == http::verb::head) {
    response_.body().clear();
  }
  stream_.expires_after(patience);
  http::async_write(stream_, response_, [self = shared_from_this()](Error error, std::size_t) {
    if (error) return;
    if (!self->last_) return self->read();
    self->stream_.socket().shutdown(tcp::socket::shutdown_send, error);
  });
}

void PageSession::ask_prometheus(std::string target) {
  query_ = {http::verb::get, target, 11};
  query_.set(http::field::host, shared_.prometheus.text());
  stream_.expires_never();  // it waits for Prometheus, which has its own time
  fresh_ = !prometheus_.socket().is_open();
  if (!fresh_) return send_query();
  prometheus_.expires_after(query_patience);
  prometheus_.async_connect(
      tcp::endpoint(asio::ip::make_address(shared_.prometheus.host), shared_.prometheus.port),
      [self = shared_from_this()](Error error) {
        if (error) return self->on_queried(error);
        self->send_query();
      });
}

void PageSession::send_query() {
  found_.emplace();
  found_->body_limit(most_answer);
  prometheus_.expires_after(query_patience);
  http::async_write(prometheus_, query_, [self = shared_from_this()](Error error, std::size_t) {
    if (error) return self->on_queried(error);
    http::async_read(self->prometheus_, self->prometheus_buffer_, *self->found_,
                     [self](Error e, std::size_t) { self->on_queried(e); });
  });
}

void PageSession::on_queried(Error error) {
  if (!error) {
    const int status = static_cast<int>(found_->get().result_int());
    if (!found_->get().keep_alive()) prometheus_.close();
    return reply(status, json_type, std::move(found_->get().body()));
  }
  prometheus_.close();
  prometheus_buffer_.clear();
  // A kept connection may have been closed meanwhile: what is asked is asked again, once.
  if (!fresh_) return ask_prometheus(std::string(query_.target()));
  reply(
      error == beast::error::timeout ? 504 : 502, json_type,
      fmt::format(
          R"({{"status":"error","errorType":"unavailable","error":"no answer within reach: {}"}})",
          error == beast::error::timeout ? "too slow" : "not there"));
}

}  // namespace retrystorm
