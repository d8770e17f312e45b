// One connection of a browser to the page server: reads requests, answers files, and passes queries
// on to Prometheus over a connection that it keeps. Asynchronous, so that a slow query holds up
// nobody else; it keeps itself alive through its handlers.
#pragma once

#include "experiments/run/prometheus/page_gate.hpp"

#include <memory>
#include <optional>
#include <string>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace retrystorm {

class PageSession : public std::enable_shared_from_this<PageSession> {
 public:
  // What all sessions of a server share; outlives them.
  struct Shared {
    Address prometheus;
    std::string run_file;
    int open = 0;  // sessions that there are
  };

  PageSession(boost::asio::ip::tcp::socket socket, Shared& shared);
  ~PageSession();
  PageSession(const PageSession&) = delete;
  PageSession& operator=(const PageSession&) = delete;

  // Reads the next request and answers it, until the browser leaves.
  void read();

 private:
  using Error = boost::beast::error_code;
  using Response = boost::beast::http::response<boost::beast::http::string_body>;

  void on_read(Error error);
  void answer(const PageVerdict& verdict);
  void reply(int status, std::string_view type, std::string body);
  void refuse(int status, std::string_view why);

  void ask_prometheus(std::string target);
  void send_query();
  void on_queried(Error error);

  boost::beast::tcp_stream stream_;
  Shared& shared_;
  Address here_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::empty_body>> parser_;
  Response response_;
  bool last_ = false;  // the connection closes after this answer

  boost::beast::tcp_stream prometheus_;
  bool fresh_ = false;  // the connection to Prometheus was made for the query that goes on
  boost::beast::flat_buffer prometheus_buffer_;
  boost::beast::http::request<boost::beast::http::empty_body> query_;
  std::optional<boost::beast::http::response_parser<boost::beast::http::string_body>> found_;
};

}  // namespace retrystorm
