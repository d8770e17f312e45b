// How long and how much the service takes from a connection. Not fields of a scenario: they decide
// nothing that an experiment counts, they keep the service standing.
#pragma once

#include "core/units.hpp"

#include <cstddef>
#include <cstdint>

namespace retrystorm {

struct ConnectionLimits {
  Duration head = std::chrono::seconds(10);   // from the first byte of a request, or the accept
  Duration body = std::chrono::seconds(30);   // from the end of the header
  Duration idle = std::chrono::seconds(60);   // between requests
  Duration write = std::chrono::seconds(10);  // for a client to take a reply
  Duration linger = std::chrono::seconds(2);  // from the last reply to the close
  Duration sweep = std::chrono::seconds(1);   // how often all of these are looked at
  std::uint64_t body_bytes = std::uint64_t{1} << 20;
  std::size_t linger_bytes = std::size_t{1} << 20;
};

// What a connection is timed for. Each has one length, so that the connections timed for it form a
// list in the order of their deadlines.
enum class Timed : std::uint8_t { head, body, idle, write, linger };

}  // namespace retrystorm
