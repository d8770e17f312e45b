// Where to listen: "127.0.0.1:8080", "[::1]:8080". What to load is a URL, in url.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace retrystorm {

// A numeric address and a port; port 0 asks the kernel for a free one.
struct Address {
  std::string host;  // numeric IPv4 or IPv6, without brackets
  std::uint16_t port = 0;
  // "127.0.0.1:8080" or "[::1]:8080".
  std::string text() const;
  bool loopback() const;  // 127.0.0.0/8 or ::1
};

// "host:port" or "[v6]:port"; "localhost" is 127.0.0.1. Throws InvalidInput naming `shown_as`.
Address parse_address(std::string_view text, std::string_view shown_as);

}  // namespace retrystorm
