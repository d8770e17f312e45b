#include "tests/loadgen/peer.hpp"

#include "core/ledger.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace retrystorm::testing_peers {
namespace {

// A TCP socket bound to a free port of 127.0.0.1.
int bound_socket(std::uint16_t& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (fd < 0 || ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("no port for a test peer");
  }
  port = ntohs(address.sin_port);
  return fd;
}

Url url_of(std::uint16_t port) {
  return {{"127.0.0.1", port}, "/work", ""};
}

AttemptId id_of(const std::string& head) {
  const std::string name = std::string("\r\n") + attempt_header + ": ";
  const std::size_t at = head.find(name);
  if (at == std::string::npos) return {};
  const std::size_t from = at + name.size();
  return parse_attempt_id(head.substr(from, head.find("\r\n", from) - from)).value_or(AttemptId{});
}

void send_all(int fd, std::string_view bytes, std::size_t piece) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), std::min(piece, bytes.size()), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the client has left
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

Peer::Peer(Script script) : script_(std::move(script)), listener_(bound_socket(port_)) {
  if (::listen(listener_, 4096) != 0 || ::pipe(wake_) != 0) {
    throw std::runtime_error("a test peer cannot listen");
  }
  thread_ = std::thread([this] { run(); });
}

Peer::~Peer() {
  const char stop = 0;
  if (::write(wake_[1], &stop, 1) == 1) thread_.join();
  for (const auto& [fd, open] : open_) {
    if (!open.closed) ::close(fd);
  }
  for (const int fd : {listener_, wake_[0], wake_[1]}) ::close(fd);
}

Url Peer::url() const {
  return url_of(port_);
}

void Peer::say(std::uint64_t connection, std::string_view bytes) {
  for (const auto& [fd, open] : open_) {
    if (open.number == connection) send_all(fd, bytes, bytes.size());
  }
}

std::vector<Heard> Peer::heard() const {
  const std::lock_guard lock(mutex_);
  return heard_;
}

std::uint64_t Peer::accepted() const {
  const std::lock_guard lock(mutex_);
  return accepted_;
}

std::pair<std::uint64_t, std::uint64_t> Peer::wait_for_ends(std::uint64_t count) const {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return closed_ + reset_ >= count; });
  return {closed_, reset_};
}

void Peer::run() {
  for (;;) {
    std::vector<pollfd> polled = {{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const auto& [fd, open] : open_) polled.push_back({fd, POLLIN, 0});
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    if (polled[0].revents != 0) return;
    if (polled[1].revents != 0) accept_one();
    for (std::size_t i = 2; i < polled.size(); ++i) {
      if (polled[i].revents == 0 || read(polled[i].fd, open_[polled[i].fd])) continue;
      if (!open_[polled[i].fd].closed) ::close(polled[i].fd);
      open_.erase(polled[i].fd);
    }
  }
}

void Peer::accept_one() {
  const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) return;
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const std::lock_guard lock(mutex_);
  open_[fd] = {accepted_++, 0, {}, false};
}

bool Peer::read(int fd, Open& open) {
  char buffer[4096];
  const ssize_t n = ::recv(fd, buffer, sizeof buffer, 0);
  if (n <= 0) {
    const std::lock_guard lock(mutex_);
    ++(n == 0 ? closed_ : reset_);
    ended_.notify_all();
    return false;
  }
  open.input.append(buffer, static_cast<std::size_t>(n));
  for (std::size_t end; (end = open.input.find("\r\n\r\n")) != std::string::npos;) {
    std::string head = open.input.substr(0, end + 4);
    open.input.erase(0, end + 4);
    if (!answer(fd, open, std::move(head))) return false;
  }
  return true;
}

bool Peer::answer(int fd, Open& open, std::string head) {
  Heard heard;
  {
    const std::lock_guard lock(mutex_);
    heard = {heard_.size(), open.requests++, open.number, id_of(head), std::move(head)};
    heard_.push_back(heard);
  }
  const Answer answer = script_(heard);
  send_all(fd, answer.bytes, answer.byte_by_byte ? 1 : std::string::npos);
  answer.between();
  if (answer.then == Answer::Then::reset) {
    const linger at_once{1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  open.closed = answer.then != Answer::Then::keep;
  if (open.closed) ::close(fd);
  answer.after();
  return !open.closed;
}

Void::Void() : listener_(bound_socket(port_)) {
  if (::listen(listener_, 4096) != 0) throw std::runtime_error("a test peer cannot listen");
}

Void::~Void() {
  ::close(listener_);
}

Url Void::url() const {
  return url_of(port_);
}

Nobody::Nobody() : socket_(bound_socket(port_)) {}

Nobody::~Nobody() {
  ::close(socket_);
}

Url Nobody::url() const {
  return url_of(port_);
}

}  // namespace retrystorm::testing_peers
