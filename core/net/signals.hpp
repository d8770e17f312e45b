// SIGINT and SIGTERM as calls on an ordinary thread: the first asks to end in order, the second to
// end at once.
#pragma once

#include <functional>
#include <memory>

namespace retrystorm {

class StopSignals {
 public:
  // From now on calls asked(n) on a thread of its own at the n-th signal, counted from 1. SIGPIPE
  // is ignored for good: a peer that left must not end the process. One at a time in a process.
  explicit StopSignals(std::function<void(int)> asked);
  // The signals have their default action again.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // How many came so far.
  int count() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace retrystorm
