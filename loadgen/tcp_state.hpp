// What the kernel knows of a TCP connection. A file of its own: the kernel's header and the C
// library's cannot be read together.
#pragma once

#include <cstddef>

namespace retrystorm::loadgen {

// True if the peer has acknowledged none of the last `last_bytes` bytes sent on the socket.
bool never_acknowledged(int socket, std::size_t last_bytes);

}  // namespace retrystorm::loadgen
