// Ctrl-C and SIGTERM as something to wait for, so that a run can stop in good order. While it
// lives, both signals (and SIGHUP) are only counted; afterwards they act as before.
#pragma once

#include <csignal>

namespace retrystorm {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // How often the user asked to stop, up to now.
  int count();

  // Readable when a signal waits to be counted: for poll().
  int descriptor() const { return file_; }

 private:
  sigset_t before_{};
  int file_ = -1;
  int count_ = 0;
};

}  // namespace retrystorm
