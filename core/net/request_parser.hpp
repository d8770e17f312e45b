// Parses one request with Beast's parser on the caller's buffer, keeping only what our servers
// need: the id header, what is asked for, and how the connection goes on. Nothing is copied or
// allocated. RequestReader has the buffer.
#pragma once

#include "core/record.hpp"
#include "core/units.hpp"

#include <cstdint>
#include <string_view>

#include <boost/beast/http/basic_parser.hpp>

namespace retrystorm {

// What a request asks for, by its path. Other: work, where there is any.
enum class Ask : std::uint8_t { other, health, metrics };

class RequestParser : public boost::beast::http::basic_parser<true> {
 public:
  // `body_limit` in bytes.
  explicit RequestParser(std::uint64_t body_limit) { this->body_limit(body_limit); }

  // What one call of feed() came to.
  struct Fed {
    std::size_t consumed = 0;
    bool need_more = false;
    int status = 0;  // the HTTP status that tells what is wrong with the request; 0: nothing
  };
  // Takes what it can of the bytes; `full`: there is no room for more of them. Call again with what
  // it left and what came since, until is_done().
  Fed feed(const char* bytes, std::size_t size, bool full);

  Ask ask() const { return ask_; }
  // The method is GET or HEAD: all that /healthz and /metrics know.
  bool only_reads() const { return only_reads_; }
  // HEAD: the reply has no body.
  bool head() const { return head_; }
  bool http_1_0() const { return http_1_0_; }
  // The client waits for "100 Continue" before it sends the body.
  bool expects_continue() const { return expects_continue_; }
  // The attempt's id; token 0 for a stranger.
  const AttemptId& id() const { return id_; }
  // The mean work that it asks for; 0 for none, and for what is no work time up to an hour.
  Duration work() const { return work_; }

 private:
  using Error = boost::beast::error_code;
  using Text = boost::beast::string_view;

  void on_request_impl(boost::beast::http::verb method, Text name, Text target, int version,
                       Error& error) override;
  void on_response_impl(int, Text, int, Error&) override {}
  void on_field_impl(boost::beast::http::field field, Text name, Text value, Error&) override;
  void on_header_impl(Error& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
  std::size_t on_body_impl(Text body, Error&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, Text, Error&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, Error&) override { return body.size(); }
  void on_finish_impl(Error&) override {}

  int status_of(const Error& error, std::string_view bytes) const;
  int too_large(std::string_view bytes) const;
  void refuse(int status, Error& error);

  AttemptId id_;
  Duration work_{};
  Ask ask_ = Ask::other;
  bool only_reads_ = false;
  bool head_ = false;
  bool http_1_0_ = false;
  bool expects_continue_ = false;
  bool start_line_done_ = false;
  bool header_done_ = false;  // what follows are trailers
  bool other_encoding_ = false;
  bool unknown_expectation_ = false;
  std::uint8_t hosts_ = 0;
  int refused_ = 0;
};

}  // namespace retrystorm
