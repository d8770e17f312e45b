// What a scenario holds of a recording, arrivals or work times: where it is from, and what was read
// there. Copies share what was read. Who reads it: recordings.hpp.
#pragma once

#include "core/units.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace retrystorm {

// The instants of a recording, from the start of the run, not decreasing.
using RecordedInstants = std::vector<Instant>;

// The work times of a recording, each as often as it was seen.
struct RecordedTimes {
  std::vector<Duration> times;
  std::vector<std::uint64_t> up_to;  // how often each and those before it were seen, together
};

template <typename Values>
struct Recorded {
  std::string source;                    // as the field has it (recording_source.hpp); empty: none
  std::shared_ptr<const Values> values;  // null until it is read

  explicit operator bool() const { return !source.empty(); }
};

}  // namespace retrystorm
