// The live line on a terminal: how much of the schedule is done and how long it still takes, what
// the threads have counted so far, and the rates of the last second. Of counts that do not fit the
// terminal, those that say least are left out: a line that wraps cannot be written over.
#pragma once

#include "loadgen/live.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace retrystorm::loadgen {

class Progress {
 public:
  // `duration`: of the schedule; `width`: of the terminal.
  Progress(Duration duration, std::size_t width) : duration_(duration), width_(width) {}

  static constexpr Duration period = std::chrono::milliseconds(200);

  // The line at `elapsed` since the start of the schedule; call it about once a period.
  std::string line(const LiveCounts& all, Duration elapsed);

 private:
  Duration duration_;
  std::size_t width_;
  struct Sample {
    Duration at{};
    std::uint64_t succeeded = 0, sent = 0;
    Duration lag{};
  };
  std::array<Sample, 6> recent_;  // a ring: the last second
  std::size_t next_ = 0;
};

}  // namespace retrystorm::loadgen
