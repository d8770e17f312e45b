// What a connected socket says of its peer without reading from it: how the service finds out that
// a client has left.
#pragma once

namespace retrystorm {

enum class Peer {
  there,   // nothing says that it left
  closed,  // it has sent its end of file; a half-closed peer looks the same
  reset,   // it has reset the connection: nothing can reach it any more
};

// Looks at the socket: one system call while the peer is there and silent, two or three when an end
// of file or unread bytes have to be told from a reset behind them. A reset is consumed by looking
// (the next look may say `closed`), so the answer must be kept.
Peer look_at_peer(int socket);

}  // namespace retrystorm
