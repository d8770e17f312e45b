// How many connections the service has room for: as many as it was told, unless descriptors or
// memory end before. Then it is the newest that is turned away, and those that are in are served.
#pragma once

#include "service/limits.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace retrystorm {

struct Room {
  std::uint64_t connections = 0;
  bool short_of_resources = false;  // fewer than wanted
  std::vector<std::string> warnings;
};

// For `wanted` connections and as many guests beyond them; raises the limit of descriptors as far
// as it may.
Room room_for_descriptors(std::uint64_t wanted, std::size_t guests);

// Cuts `room` to the memory that the process may still take, or to `limits.memory`. Throws
// RunFailed where that is not enough for one connection.
Room room_for_memory(Room room, const ConnectionLimits& limits);

}  // namespace retrystorm
