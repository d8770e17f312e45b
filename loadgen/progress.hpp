// The live line on a terminal: what the threads have counted so far, and the rates of the last
// second.
#pragma once

#include "loadgen/live.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace retrystorm::loadgen {

class Progress {
 public:
  static constexpr Duration period = std::chrono::milliseconds(200);

  // The line at `elapsed` since the start of the schedule; call it about once a period.
  std::string line(const LiveCounts& all, Duration elapsed);

 private:
  struct Sample {
    Duration at{};
    std::uint64_t succeeded = 0, sent = 0;
    Duration lag{};
  };
  std::array<Sample, 6> recent_;  // a ring: the last second
  std::size_t next_ = 0;
};

}  // namespace retrystorm::loadgen
