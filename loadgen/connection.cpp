#include "loadgen/connection.hpp"

#include "core/clocks.hpp"
#include "loadgen/tcp_state.hpp"

#include <cerrno>
#include <new>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <netinet/in.h>
#include <sys/socket.h>

namespace retrystorm::loadgen {
namespace {

// Nothing has come in: no byte, no end.
bool quiet(int socket) {
  char byte;
  const ssize_t n = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace

Failure connect_failure(int error) {
  switch (error) {
    case EMFILE:
    case ENFILE:
    case ENOSPC:  // epoll's own limit of watched descriptors
      return {false, AttemptOutcome::unfinished, Reason::descriptors};
    case EADDRNOTAVAIL:
    case EADDRINUSE:
      return {false, AttemptOutcome::unfinished, Reason::ports};
    case ENOMEM:
    case ENOBUFS:
    case EAGAIN:
      return {false, AttemptOutcome::unfinished, Reason::memory};
    case ECONNRESET:
    case EPIPE:  // accepted, then reset at once
      return {true, AttemptOutcome::io_error, Reason::reset};
    case ECONNREFUSED:
      return {true, AttemptOutcome::connect_error, Reason::connection_refused};
    case ENETUNREACH:
    case EHOSTUNREACH:
      return {true, AttemptOutcome::connect_error, Reason::unreachable};
    default:
      return {true, AttemptOutcome::connect_error, Reason::connect_failed};
  }
}

Connection* Connections::take_idle(Instant now, Duration trusted) {
  while (!idle_.empty()) {
    Connection& c = idle_.front();
    if (now - c.idle_since < trusted || quiet(c.socket.native_handle())) {
      c.unlink();
      return &c;
    }
    close(c);
  }
  return nullptr;
}

Connections::Opened Connections::open() {
  if (free_.empty()) {
    try {
      slab_.emplace_back(io_);
    } catch (const std::bad_alloc&) {
      return {nullptr, connect_failure(ENOMEM), {}};
    }
    free_.push_back(&slab_.back());
  }
  Connection& c = *free_.back();
  boost::system::error_code error;
  c.socket.open(target_.protocol(), error);
  if (!error) c.socket.native_non_blocking(true, error);
  if (!error) c.socket.set_option(boost::asio::ip::tcp::no_delay(true), error);
  if (error) {
    boost::system::error_code ignored;
    c.socket.close(ignored);
    return {nullptr, connect_failure(error.value()), {}};
  }
  const Instant before = steady_now();
  const int result =
      ::connect(c.socket.native_handle(), target_.data(), static_cast<socklen_t>(target_.size()));
  const int failed = result == 0 ? 0 : errno;
  const Duration took = steady_now() - before;
  if (failed != 0 && failed != EINPROGRESS && failed != EINTR) {
    boost::system::error_code ignored;
    c.socket.close(ignored);
    return {nullptr, connect_failure(failed), took};
  }
  free_.pop_back();
  ++opened_;
  c.state = Connection::State::connecting;
  c.reused = false;
  c.written = 0;
  c.reply.start();
  return {&c, {}, took};
}

int Connections::write(Connection& c, std::string_view request) {
  while (c.written < request.size()) {
    const ssize_t n = ::send(c.socket.native_handle(), request.data() + c.written,
                             request.size() - c.written, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      c.written += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void Connections::keep(Connection& c, Instant now) {
  c.state = Connection::State::idle;
  c.idle_since = now;
  c.reused = true;
  c.written = 0;
  c.reply.start();
  idle_.push_front(c);
}

void Connections::close(Connection& c, Abandon how) {
  if (c.is_linked()) c.unlink();
  boost::system::error_code ignored;
  if (how == Abandon::rst) {
    c.socket.set_option(boost::asio::socket_base::linger(true, 0), ignored);
  }
  c.socket.close(ignored);
  c.state = Connection::State::closing;
  if (c.pending == 0) was_closed(c);
}

bool Connections::was_closed(Connection& c) {
  if (c.state != Connection::State::closing) return false;
  if (c.pending == 0) {
    c.state = Connection::State::closed;
    free_.push_back(&c);
  }
  return true;
}

bool Connections::was_stale(Connection& c) {
  if (!c.reused || c.reply.begun()) return false;
  // A peer that had closed never acknowledges the request; one that closes over it does.
  return never_acknowledged(c.socket.native_handle(), c.written);
}

void Connections::close_all(Abandon how) {
  for (Connection& c : slab_) {
    if (c.state != Connection::State::closed && c.state != Connection::State::closing) {
      close(c, how);
    }
  }
}

}  // namespace retrystorm::loadgen
