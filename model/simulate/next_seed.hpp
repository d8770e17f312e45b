// The seeds of a band: one after the other.
#pragma once

#include <cstdint>

namespace retrystorm {

// After the largest comes the smallest.
constexpr std::int64_t next_seed(std::int64_t seed) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(seed) + 1);
}

}  // namespace retrystorm
