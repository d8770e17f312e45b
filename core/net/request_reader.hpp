// The one HTTP reader of our servers: the bytes of one connection, cut into requests. A buffer as
// large as the largest header we take, and the parser over it; who owns it does the I/O and says
// the replies (core/net/replies.hpp).
#pragma once

#include "core/net/request_limits.hpp"
#include "core/net/request_parser.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace retrystorm {

class RequestReader {
 public:
  // What has been read comes to.
  enum class Read : std::uint8_t {
    more,     // bytes are missing
    whole,    // a request is there, its body too: no unread byte of it hides an end of file later
    proceed,  // the client waits for "100 Continue"; said once
    bad,      // status() tells what is wrong; nothing after it can be read
  };

  // A new connection.
  void start(std::uint64_t body_limit) {
    forget();
    next_request(body_limit);
  }
  // The request was answered: on to the next.
  void next_request(std::uint64_t body_limit) {
    parser_.emplace(body_limit);
    proceeded_ = false;
    header_size_ = 0;
  }

  // Where the next bytes go; never empty after read() said `more`.
  std::span<char> room() { return std::span(buffer_).subspan(end_); }
  // So many came.
  void received(std::size_t size) { end_ += size; }
  Read read();

  // The request, once it is whole.
  const RequestParser& request() const { return *parser_; }
  // The HTTP status that tells what is wrong with it.
  int status() const { return status_; }

  // A request has begun to come in.
  bool began() const { return begin_ != end_ || parser_->got_some(); }
  // Its header is there.
  bool in_body() const { return parser_->is_header_done(); }
  // Nothing is left of what was received.
  bool used_up() const { return begin_ == end_; }
  void forget() { begin_ = end_ = 0; }

 private:
  void make_room();
  // That much was taken, and it began in the header.
  void count_header(const char* taken, std::size_t size);

  std::optional<RequestParser> parser_;
  bool proceeded_ = false;
  std::size_t header_size_ = 0;  // of this request, so far
  int status_ = 0;
  std::size_t begin_ = 0;  // unparsed bytes: [begin_, end_)
  std::size_t end_ = 0;
  std::array<char, largest_header> buffer_;
};

}  // namespace retrystorm
