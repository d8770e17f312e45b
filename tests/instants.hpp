// Instants as tests write and read them: so long after the start.
#pragma once

#include "core/units.hpp"

#include <ostream>

namespace retrystorm {

constexpr Instant at(Duration since_the_start) {
  return instant_at(since_the_start);
}

// How GoogleTest shows one.
inline void PrintTo(Instant instant, std::ostream* out) {
  *out << "at " << (instant == never ? "never" : format_duration(since_start(instant)));
}

}  // namespace retrystorm
