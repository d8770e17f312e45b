// How long and how much the service takes from a connection. Not fields of a scenario: they decide
// nothing that an experiment counts, they keep the service standing.
#pragma once

#include "core/net/request_limits.hpp"
#include "core/units.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace retrystorm {

struct ConnectionLimits {
  Duration head = std::chrono::seconds(10);   // from the first byte of a request, or the accept
  Duration body = std::chrono::seconds(30);   // from the end of the header
  Duration idle = std::chrono::seconds(60);   // between requests
  Duration write = std::chrono::seconds(10);  // for a client to take a reply
  Duration linger = std::chrono::seconds(2);  // from the last reply to the close
  Duration guest = std::chrono::seconds(1);   // beyond the cap, to ask for the service's health
  Duration sweep = std::chrono::seconds(1);   // how often all of these are looked at
  std::uint64_t body_bytes = largest_body;
  std::size_t linger_bytes = std::size_t{1} << 20;
  // Connections beyond the cap that may ask for the service's health, so that no crowd silences it:
  // as many as are accepted in one turn, so that each has its turn before it gives way. At least 1.
  std::size_t guests = 64;
  // What connections may take in all, in bytes; not set: as the process's own limits allow.
  std::optional<std::uint64_t> memory;
};

// What a connection is timed for. Each has one length, so that the connections timed for it form a
// list in the order of their deadlines.
enum class Timed : std::uint8_t { head, body, idle, write, linger, guest };

}  // namespace retrystorm
