#include "core/net/peer.hpp"

#include <cerrno>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace retrystorm {
namespace {

// Unread bytes come before an end of file or an error, so peeking tells nothing: ask for the state.
Peer look_at_state(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return Peer::there;
  switch (info.tcpi_state) {
    case TCP_ESTABLISHED:
    case TCP_FIN_WAIT1:  // we shut our side; the peer has not
    case TCP_FIN_WAIT2:
      return Peer::there;
    case TCP_CLOSE:
      return Peer::reset;
    default:
      return Peer::closed;
  }
}

}  // namespace

Peer look_at_peer(int socket) {
  char byte = 0;
  const ssize_t n = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (n > 0) return look_at_state(socket);
  if (n == 0) return Peer::closed;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? Peer::there : Peer::reset;
}

}  // namespace retrystorm
