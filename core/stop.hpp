// Whoever may want a long calculation to end, as a value that is passed down to where the work is
// done: asked in passing, never waited for.
#pragma once

#include <stdexcept>

namespace retrystorm {

class Stop {
 public:
  using Asked = bool (*)(void*);

  Stop() = default;  // nobody asks
  // `ask(whom)`: whether the work should end. Cheap enough to be called some hundred times a
  // second.
  Stop(Asked ask, void* whom) : asked_(ask), whom_(whom) {}

  bool asked() const { return asked_ != nullptr && asked_(whom_); }

 private:
  Asked asked_ = nullptr;
  void* whom_ = nullptr;
};

// The work ended because somebody asked: no error of anybody's. Exit code 130.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace retrystorm
