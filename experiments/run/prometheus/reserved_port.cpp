#include "experiments/run/prometheus/reserved_port.hpp"

#include "core/error.hpp"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace retrystorm {

ReservedPort::ReservedPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof any;
  const int yes = 1;
  auto* const address = reinterpret_cast<sockaddr*>(&any);
  if (!socket_ || ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(socket_.get(), address, size) != 0 ||
      ::getsockname(socket_.get(), address, &size) != 0) {
    throw RunFailed(fmt::format("no free port on 127.0.0.1: {}", std::strerror(errno)));
  }
  address_ = {"127.0.0.1", ntohs(any.sin_port)};
}

}  // namespace retrystorm
