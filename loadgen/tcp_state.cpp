#include "loadgen/tcp_state.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace retrystorm::loadgen {

bool never_acknowledged(int socket, std::size_t last_bytes) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  // bytes_acked counts the SYN as well. (After a reset it misses what a delayed acknowledgement
  // would have covered: ask only when the peer closed in good order.)
  return info.tcpi_bytes_acked + last_bytes <= info.tcpi_bytes_sent + 1;
}

}  // namespace retrystorm::loadgen
