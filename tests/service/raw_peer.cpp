#include "tests/service/raw_peer.hpp"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace retrystorm {

RawPeer::RawPeer(const Address& address) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  const timeval patience{60, 0};  // a test that hangs fails instead
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const int on = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(address.port);
  ::inet_pton(AF_INET, address.host.c_str(), &to.sin_addr);
  connected_ = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
}

bool RawPeer::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool RawPeer::send_slowly(std::string_view bytes) const {
  for (const char& byte : bytes) {
    if (!send({&byte, 1})) return false;
  }
  return true;
}

RawReply RawPeer::reply(bool head) {
  RawReply reply;
  const auto more = [&] {
    char bytes[4096];
    const ssize_t n = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    if (n > 0) pending_.append(bytes, static_cast<std::size_t>(n));
    return n > 0;
  };
  std::size_t end = 0;
  while ((end = pending_.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) {
      reply.ended = true;
      return reply;
    }
  }
  reply.head = pending_.substr(0, end + 4);
  pending_.erase(0, end + 4);
  std::from_chars(reply.head.data() + 9, reply.head.data() + 12, reply.status);
  constexpr std::string_view length_name = "Content-Length: ";
  std::size_t length = 0;
  if (const std::size_t at = reply.head.find(length_name); at != std::string::npos && !head) {
    const char* digits = reply.head.data() + at + length_name.size();
    std::from_chars(digits, reply.head.data() + reply.head.size(), length);
  }
  while (pending_.size() < length) {
    if (!more()) {
      reply.ended = true;
      return reply;
    }
  }
  reply.body = pending_.substr(0, length);
  pending_.erase(0, length);
  return reply;
}

bool RawPeer::skip(std::size_t size) const {
  char bytes[4096];
  while (size > 0) {
    const ssize_t n = ::recv(socket_.get(), bytes, std::min(size, sizeof bytes), 0);
    if (n <= 0) return false;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool RawPeer::read_to_end(std::string* bytes) {
  std::string all = std::move(pending_);
  char some[4096];
  ssize_t n = 0;
  while ((n = ::recv(socket_.get(), some, sizeof some, 0)) > 0) {
    all.append(some, static_cast<std::size_t>(n));
  }
  if (bytes) *bytes = std::move(all);
  return n == 0;
}

void RawPeer::wait_readable() const {
  pollfd one{socket_.get(), POLLIN, 0};
  ::poll(&one, 1, 60'000);
}

void RawPeer::shut_write() const {
  ::shutdown(socket_.get(), SHUT_WR);
}

void RawPeer::reset() {
  const linger at_once{1, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket_.reset();
}

std::string get(std::string_view path, std::string_view headers) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: test\r\n{}\r\n", path, headers);
}

}  // namespace retrystorm
