// One HTTP reply as it comes in: Beast's parser on a buffer of our own, nothing stored but the
// status. Knows no socket, so that every way a reply can be cut is tested without one.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace retrystorm::loadgen {

// Beast's parser with every part of the message ignored: status, keep-alive and where the message
// ends are its own.
class ReplyParser final : public boost::beast::http::basic_parser<false> {
 public:
  ReplyParser() {
    eager(true);
    body_limit(boost::none);  // nothing is stored: the timeout is limit enough
  }
  unsigned status = 0;

 private:
  using error_code = boost::system::error_code;
  using string_view = boost::beast::string_view;
  using verb = boost::beast::http::verb;
  using field = boost::beast::http::field;

  void on_request_impl(verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int code, string_view, int, error_code&) override {
    status = static_cast<unsigned>(code);
  }
  void on_field_impl(field, string_view, string_view, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override {
    return body.size();
  }
  void on_finish_impl(error_code&) override {}
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
  }

  // Where to read to; never empty while take() says `more`.
  std::span<char> room() { return {buffer_.data() + end_, buffer_.size() - end_}; }

  // `n` bytes were read into room(). An interim reply (1xx other than 101) is passed over.
  State take(std::size_t n) {
    end_ += n;
    begun_ = begun_ || n > 0;
    while (begin_ < end_) {
      boost::system::error_code error;
      begin_ += parser_->put(boost::asio::buffer(buffer_.data() + begin_, end_ - begin_), error);
      if (error && error != boost::beast::http::error::need_more) return State::bad;
      if (parser_->is_done()) {
        if (!interim()) return State::whole;
        parser_.emplace();
      } else if (error) {
        break;  // need_more
      }
    }
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    return end_ == buffer_.size() ? State::bad : State::more;  // a header larger than the buffer
  }

  // The peer closed: whole if the reply was one that ends so.
  State end() {
    if (!parser_->got_some() || !parser_->need_eof()) return State::bad;
    boost::system::error_code error;
    parser_->put_eof(error);
    return error ? State::bad : State::whole;
  }

  bool begun() const { return begun_; }
  // Of a whole reply.
  unsigned status() const { return parser_->status; }
  // A whole reply after which the connection can carry another: nothing follows it, and both sides
  // keep it open.
  bool keeps_connection() const { return parser_->keep_alive() && begin_ == end_; }

 private:
  bool interim() const { return status() / 100 == 1 && status() != 101; }

  std::optional<ReplyParser> parser_;
  std::size_t begin_ = 0;  // read but not parsed: [begin_, end_)
  std::size_t end_ = 0;
  bool begun_ = false;
  std::array<char, 8192> buffer_;  // a page or two are touched, not all of it
};

}  // namespace retrystorm::loadgen
