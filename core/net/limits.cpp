#include "core/net/limits.hpp"

#include <algorithm>
#include <fstream>

#include <sys/resource.h>

namespace retrystorm {

std::uint64_t raise_descriptor_limit(std::uint64_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  rlimit more = limit;
  more.rlim_max = std::max<rlim_t>(limit.rlim_max, wanted);
  more.rlim_cur = more.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &more) != 0) {
    more.rlim_cur = more.rlim_max = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &more);
  }
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

std::uint64_t local_ports() {
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (!(file >> low >> high) || high < low) return 0;
  return high - low + 1;
}

bool time_wait_reuse() {
  // 0 off, 1 on, 2 loopback only (the default).
  std::ifstream file("/proc/sys/net/ipv4/tcp_tw_reuse");
  int value = 0;
  return (file >> value) && value != 0;
}

}  // namespace retrystorm
