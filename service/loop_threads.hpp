// The threads of all loops but the first, which the caller's thread runs: there before the service
// says that it listens, so that one that cannot be had is named then; running when it goes.
#pragma once

#include "core/start_thread.hpp"
#include "service/loop.hpp"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace retrystorm {

class LoopThreads {
 public:
  LoopThreads() = default;
  ~LoopThreads() {
    if (state_ == waiting) set(over);
    join();
  }
  LoopThreads(const LoopThreads&) = delete;
  LoopThreads& operator=(const LoopThreads&) = delete;

  // Throws RunFailed where the machine has no thread left.
  void start(const std::vector<std::unique_ptr<Loop>>& loops) {
    threads_.reserve(loops.size());
    for (std::size_t i = 1; i < loops.size(); ++i) {
      threads_.push_back(start_thread("--threads", [this, loop = loops[i].get()] {
        state_.wait(waiting);
        if (state_ == going) loop->run();
      }));
    }
  }
  void go() { set(going); }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  enum State : int { waiting, going, over };
  void set(State state) {
    state_ = state;
    state_.notify_all();
  }

  std::atomic<int> state_{waiting};
  std::vector<std::thread> threads_;
};

}  // namespace retrystorm
