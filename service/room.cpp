#include "service/room.hpp"

#include "core/error.hpp"
#include "core/net/limits.hpp"
#include "core/net/memory_room.hpp"
#include "core/net/metrics_endpoint.hpp"

#include <optional>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr std::uint64_t other_descriptors = 64;  // files, timers, listening sockets

// What a connection takes: its session of some 10 KB, and as much again for what the kernel and the
// allocator add, its place in the queue, its rows on their way to the ledger.
constexpr std::uint64_t bytes_each = 20 * 1024;
// Of the memory that is left, for connections; the rest is for threads' heaps and scrapes.
constexpr double share = 0.75;

}  // namespace

Room room_for_descriptors(std::uint64_t wanted, std::size_t guests) {
  const std::uint64_t others = other_descriptors + guests + MetricsEndpoint::most_connections;
  const std::uint64_t limit = raise_descriptor_limit(wanted + others);
  if (limit >= wanted + others) return {wanted, false, {}};
  const std::uint64_t fit = limit > 2 * others ? limit - others : limit / 2;
  return {fit,
          true,
          {fmt::format("the descriptor limit of {} leaves room for {} connections, not {}", limit,
                       fit, wanted)}};
}

Room room_for_memory(Room room, const ConnectionLimits& limits) {
  std::optional<MemoryRoom> left;
  if (limits.memory) {
    left = MemoryRoom{*limits.memory, "its own limit"};
  } else if ((left = memory_room())) {
    left->bytes = static_cast<std::uint64_t>(share * static_cast<double>(left->bytes));
  }
  if (!left) return room;
  const std::uint64_t all = left->bytes / bytes_each;
  const std::uint64_t fit = all > 2 * limits.guests ? all - limits.guests : all / 2;
  if (fit >= room.connections) return room;
  if (fit == 0) {
    throw RunFailed(fmt::format("out of memory: the {} KiB left under {} have no room for clients",
                                left->bytes / 1024, left->limit));
  }
  room.warnings.push_back(
      fmt::format("the {} KiB of memory left under {} have room for {} connections, not {}",
                  left->bytes / 1024, left->limit, fit, room.connections));
  room.connections = fit;
  room.short_of_resources = true;
  return room;
}

}  // namespace retrystorm
