// How much memory this process may still take, as far as a limit says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace retrystorm {

struct MemoryRoom {
  std::uint64_t bytes = 0;
  std::string_view limit;  // the one that is met first, as a user knows it
};

// What is left under RLIMIT_AS, RLIMIT_DATA or the memory limits of its control group, whichever is
// met first; nothing where none is set. A group's file cache counts as free. `root`: where /proc
// and /sys are looked for.
std::optional<MemoryRoom> memory_room(const std::string& root = "");

}  // namespace retrystorm
