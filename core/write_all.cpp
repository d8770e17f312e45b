#include "core/write_all.hpp"

#include <cerrno>

#include <unistd.h>

namespace retrystorm {

int write_all(int file, const void* bytes, std::size_t size, std::size_t& done) {
  while (done < size) {
    const ssize_t n = ::write(file, static_cast<const char*>(bytes) + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

}  // namespace retrystorm
