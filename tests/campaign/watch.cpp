#include "tests/campaign/watch.hpp"

#include <csignal>
#include <utility>

#include <unistd.h>

namespace retrystorm::campaign {
namespace {

// What the signal's handler says: set before the alarm, left alone until it is off.
std::string& last_words() {
  static std::string line;
  return line;
}

void end(int) {
  const std::string& line = last_words();
  const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(written < 0 ? 2 : 1);
}

}  // namespace

Watch::Watch(std::string line, unsigned seconds) {
  last_words() = std::move(line);
  std::signal(SIGALRM, end);
  ::alarm(seconds);
}

Watch::~Watch() {
  ::alarm(0);
}

}  // namespace retrystorm::campaign
