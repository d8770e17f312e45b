#include "core/standard_error.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>

#include <pthread.h>
#include <signal.h>

namespace retrystorm {

void say(std::string_view text) {
  // Only here: a pipe that breaks under standard output may end the program, as in any other.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  sigset_t before;
  sigset_t pending;
  ::sigpending(&pending);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  errno = 0;
  const bool whole =
      std::fwrite(text.data(), 1, text.size(), stderr) == text.size() && std::fflush(stderr) == 0;
  if (!whole && errno == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
    const timespec no_time{};
    while (::sigtimedwait(&broken_pipe, nullptr, &no_time) < 0 && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace retrystorm
