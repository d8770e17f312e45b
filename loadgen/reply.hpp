// One HTTP reply as it comes in: Beast's parser on a buffer of our own, nothing stored but
// the status and what it says of a retry. Knows no socket, so that every way a reply can be cut is
// tested without one.
#pragma once

#include "core/net/retry_after.hpp"
#include "core/reason.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace retrystorm::loadgen {

// The longest header of a reply that is read, status line and last empty line not counted: 64 KiB,
// more than any server in use sends.
inline constexpr std::size_t longest_reply_header = 64 * 1024;
// The same with those lines: what the parser may want in one piece.
inline constexpr std::size_t longest_held = longest_reply_header + 1024;

// What Beast's refusal of a reply comes to.
inline Reason why_bad(const boost::system::error_code& error) {
  using Http = boost::beast::http::error;
  if (error == Http::header_limit) return Reason::long_header;
  if (error == Http::bad_field || error == Http::bad_value || error == Http::bad_obs_fold) {
    return Reason::bad_header;
  }
  if (error == Http::bad_content_length || error == Http::multiple_content_length ||
      error == Http::bad_transfer_encoding) {
    return Reason::bad_length;
  }
  if (error == Http::bad_chunk || error == Http::bad_chunk_extension) return Reason::bad_chunk;
  return Reason::bad_reply;
}

// Beast's parser with every part of the message ignored: status, keep-alive and where the message
// ends are its own.
class ReplyParser final : public boost::beast::http::basic_parser<false> {
 public:
  ReplyParser() {
    eager(true);
    header_limit(longest_held);
    body_limit(boost::none);  // nothing is stored: the timeout is limit enough
  }
  unsigned status = 0;
  RetryAfterSaid retry_after;

 private:
  using error_code = boost::system::error_code;
  using string_view = boost::beast::string_view;
  using verb = boost::beast::http::verb;
  using field = boost::beast::http::field;

  void on_request_impl(verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int code, string_view, int, error_code&) override {
    status = static_cast<unsigned>(code);
  }
  // Beast's own limit counts from what it holds, which depends on how the reply was cut.
  void on_field_impl(field which, string_view name, string_view value, error_code& error) override {
    if (which == field::retry_after) retry_after.hear({value.data(), value.size()});
    if (which == field::date) retry_after.hear_date({value.data(), value.size()});
    fields_ += name.size() + value.size() + 4;  // ": " and the line's end
    if (fields_ > longest_reply_header) error = boost::beast::http::error::header_limit;
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override {
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  std::size_t fields_ = 0;  // of the header and the trailer, in bytes
};

class Reply {
 public:
  enum class State : std::uint8_t { more, whole, bad };

  Reply() { start(); }

  // Makes ready for the next reply; what the last one left unread is dropped.
  void start() {
    parser_.emplace();
    begin_ = end_ = 0;
    begun_ = false;
    why_ = Reason::none;
  }

  // Where to read to; never empty while take() says `more`.
  std::span<char> room() { return buffer().subspan(end_); }

  // `n` bytes were read into room(). An interim reply (1xx other than 101) is passed over.
  State take(std::size_t n) {
    end_ += n;
    begun_ = begun_ || n > 0;
    while (begin_ < end_) {
      if (parser_->status == 0 && !begins_as_reply()) return bad(Reason::bad_reply);
      boost::system::error_code error;
      begin_ += parser_->put(boost::asio::buffer(buffer().data() + begin_, end_ - begin_), error);
      if (error && error != boost::beast::http::error::need_more) return bad(why_bad(error));
      if (parser_->is_done()) {
        if (!interim()) return State::whole;
        parser_.emplace();
      } else if (error) {
        break;  // need_more
      }
    }
    const std::span<char> held = buffer();
    if (begin_ > 0) std::memmove(held.data(), held.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    return end_ < held.size() || grow() ? State::more : bad(Reason::long_header);
  }

  // The peer closed: whole if the reply was one that ends so.
  State end() {
    if (!parser_->got_some() || !parser_->need_eof()) return State::bad;
    boost::system::error_code error;
    parser_->put_eof(error);
    return error ? State::bad : State::whole;
  }

  bool begun() const { return begun_; }
  // Of a bad reply, where bytes of it say so; none where it was only cut.
  Reason why() const { return why_; }
  // Of a whole reply.
  unsigned status() const { return parser_->status; }
  std::optional<Duration> retry_after() const { return parser_->retry_after.read(); }
  // A whole reply after which the connection can carry another: nothing follows it, and both sides
  // keep it open.
  bool keeps_connection() const { return parser_->keep_alive() && begin_ == end_; }

 private:
  bool interim() const { return status() / 100 == 1 && status() != 101; }

  // What is not parsed yet, before the status line is. The parser would wait for the line's end.
  bool begins_as_reply() const {
    constexpr std::string_view begin = "HTTP/1.";
    const std::string_view held(buffer().data() + begin_, end_ - begin_);
    return held.substr(0, begin.size()) == begin.substr(0, held.size());
  }

  State bad(Reason why) {
    why_ = why;
    return State::bad;
  }

  std::span<char> buffer() {
    return large_.empty() ? std::span<char>(small_) : std::span<char>(large_);
  }
  std::span<const char> buffer() const {
    return large_.empty() ? std::span<const char>(small_) : std::span<const char>(large_);
  }

  // Makes room for a long header, which must stand in one piece; false at the limit. The room is
  // kept: who sends one such header sends more.
  bool grow() {
    const std::span<char> held = buffer();
    if (held.size() == longest_held) return false;
    std::vector<char> larger(std::min(4 * held.size(), longest_held));
    std::memcpy(larger.data(), held.data(), end_);
    large_ = std::move(larger);
    return true;
  }

  std::optional<ReplyParser> parser_;
  std::size_t begin_ = 0;  // read but not parsed: [begin_, end_)
  std::size_t end_ = 0;
  bool begun_ = false;
  Reason why_ = Reason::none;
  std::array<char, 8192> small_;  // a page or two are touched, not all of it
  std::vector<char> large_;       // takes its place, once a header does not fit
};

}  // namespace retrystorm::loadgen
