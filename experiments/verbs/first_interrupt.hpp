// Ctrl-C in a long calculation: the first one is noted, so that what is done can still be said; the
// second ends the program, whatever it is at.
#pragma once

#include "core/stop.hpp"

#include <array>
#include <csignal>

namespace retrystorm {

// While it lives, SIGINT and SIGTERM are noted, each once; afterwards they act as before.
class FirstInterrupt {
 public:
  FirstInterrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) { came_ = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    came_ = 0;
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &before_[i]);
  }
  ~FirstInterrupt() {
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  }
  FirstInterrupt(const FirstInterrupt&) = delete;
  FirstInterrupt& operator=(const FirstInterrupt&) = delete;

  static bool came() { return came_ != 0; }
  // The same for long calculations.
  static Stop stop() {
    return {[](void*) { return came(); }, nullptr};
  }

 private:
  static constexpr std::array signals = {SIGINT, SIGTERM};
  inline static volatile std::sig_atomic_t came_ = 0;  // a handler reaches nothing else
  std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace retrystorm
