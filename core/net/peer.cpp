#include "core/net/peer.hpp"

#include <cerrno>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace retrystorm {
namespace {

bool has_pending_error(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error != 0;
}

// Whether the connection still takes what the peer may send.
bool receives(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return true;
  return info.tcpi_state == TCP_ESTABLISHED || info.tcpi_state == TCP_FIN_WAIT1 ||
         info.tcpi_state == TCP_FIN_WAIT2;
}

}  // namespace

// Peeking shows unread bytes before anything else, and an end of file before a reset that came
// after it. The reset stays as the socket's pending error, the end of file as its state.
Peer look_at_peer(int socket) {
  char byte = 0;
  const ssize_t n = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (n < 0) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? Peer::there : Peer::reset;
  }
  if (has_pending_error(socket)) return Peer::reset;
  return n > 0 && receives(socket) ? Peer::there : Peer::closed;
}

}  // namespace retrystorm
