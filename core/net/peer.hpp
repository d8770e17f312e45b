// What a connected socket says of its peer without reading from it: how the service finds out that
// a client has left.
#pragma once

namespace retrystorm {

enum class Peer {
  there,   // nothing says that it left
  closed,  // it has sent its end of file; a half-closed peer looks the same
  reset,   // it has reset the connection: nothing can reach it any more
};

// Looks at the socket. Costs one system call, two when unread bytes hide the answer of the first.
// A pending reset is consumed by looking, so the answer must be kept.
Peer look_at_peer(int socket);

}  // namespace retrystorm
