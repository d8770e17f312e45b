// The clocks that the processes read. Only the edges do: what decides is given its `now`.
#pragma once

#include "core/units.hpp"

#include <chrono>

namespace retrystorm {

// The steady clock; its instants count from the machine's start, and mean the same in all
// processes.
inline Instant steady_now() {
  return instant_at(std::chrono::steady_clock::now().time_since_epoch());
}

// The same instant as timers of the steady clock take it.
inline std::chrono::steady_clock::time_point on_steady_clock(Instant instant) {
  return std::chrono::steady_clock::time_point(since_start(instant));
}

// The wall clock in seconds since 1970, for what people and Prometheus date.
inline double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// And in whole ones.
inline std::chrono::sys_seconds wall_second() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

}  // namespace retrystorm
