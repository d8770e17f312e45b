// How long a run still takes, by what its tries took so far.
#pragma once

#include "core/units.hpp"

#include <cstdint>

namespace retrystorm {

class Pace {
 public:
  // A try that took so long and sent for `sending` of it.
  void add(Duration took, Duration sending) {
    beyond_ += took - sending;
    ++tries_;
  }

  // What `measurements` take that send for `sending` altogether: each the mean of what a try took
  // beyond its sending so far, nothing before the first.
  Duration left(Duration sending, std::size_t measurements) const {
    if (tries_ == 0) return sending;
    return sending + beyond_ / tries_ * static_cast<std::int64_t>(measurements);
  }

 private:
  Duration beyond_{};
  std::int64_t tries_ = 0;
};

}  // namespace retrystorm
