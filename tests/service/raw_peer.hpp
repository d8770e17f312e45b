// A client made of bare system calls, so that it can do what no proper client does: leave in the
// middle, half-close, reset, dawdle, send nonsense.
#pragma once

#include "core/net/address.hpp"
#include "core/net/descriptor.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace retrystorm {

// A reply as read from the wire; status 0 and `ended` when the connection ended instead.
struct RawReply {
  int status = 0;
  std::string head;
  std::string body;
  bool ended = false;  // end of file or reset
};

class RawPeer {
 public:
  // Connects; check connected().
  explicit RawPeer(const Address& address);

  bool connected() const { return connected_; }
  // Sends all of it; false if the connection is gone.
  bool send(std::string_view bytes) const;
  // Sends it byte by byte, each in a segment of its own.
  bool send_slowly(std::string_view bytes) const;
  // Reads one reply; without body for HEAD.
  RawReply reply(bool head = false);
  // Reads so many bytes and forgets them, without allocating.
  bool skip(std::size_t size) const;
  // Reads until the end; true if it ended in order, false if by a reset.
  bool read_to_end(std::string* bytes = nullptr);
  // Waits until there is something to read, and does not read it.
  void wait_readable() const;

  void shut_write() const;
  void close() { socket_.reset(); }
  void reset();

 private:
  Descriptor socket_;
  bool connected_ = false;
  std::string pending_;
};

// "GET path" with a Host and whatever other header lines, each ending in CRLF.
std::string get(std::string_view path, std::string_view headers = "");

}  // namespace retrystorm
