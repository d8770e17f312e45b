// Where to listen and what to load: "127.0.0.1:8080", "[::1]:8080", "http://127.0.0.1:8080/path".
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

// An http URL with a numeric host or "localhost" (127.0.0.1); port 80 and path "/" unless given.
struct Url {
  Address address;
  std::string path;
};

// Both throw InvalidInput naming `shown_as` (the flag or argument).
Address parse_address(std::string_view text, std::string_view shown_as);
Url parse_url(std::string_view text, std::string_view shown_as);

}  // namespace retrystorm
