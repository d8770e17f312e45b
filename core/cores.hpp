// How the cores of one machine are shared out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>

namespace retrystorm {

// What service and generator each take unless told otherwise, so that neither starves the other: at
// least one.
inline std::uint32_t half_the_cores() {
  return std::max(1U, std::thread::hardware_concurrency() / 2);
}

}  // namespace retrystorm
