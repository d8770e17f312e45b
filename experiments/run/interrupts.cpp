#include "experiments/run/interrupts.hpp"

#include "core/error.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace retrystorm {

Interrupts::Interrupts() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, &before_);
  file_ = ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  if (file_ < 0) {
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    throw RunFailed(fmt::format("cannot watch for signals: {}", std::strerror(error)));
  }
}

Interrupts::~Interrupts() {
  count();  // a signal that was answered must not kill on the way out
  ::close(file_);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int Interrupts::count() {
  signalfd_siginfo info{};
  while (::read(file_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) ++count_;
  return count_;
}

}  // namespace retrystorm
