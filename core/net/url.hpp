// What to load: "http://127.0.0.1:8080/path?query", "http://localhost:8080", "http://[::1]:8080/".
#pragma once

#include "core/net/address.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

// The longest path and query that a URL may have, in bytes: what a server must at least be able to
// read (RFC 9110, 4.1).
inline constexpr std::size_t longest_target = 8000;

// An http URL; port 80 unless given.
struct Url {
  Address address;        // its host may be a name, until it is one of addresses_of()
  std::string path;       // and query, from its slash on
  std::string authority;  // host and port as they were written; empty: as the address has them

  // What a request says in `Host`.
  std::string host() const { return authority.empty() ? address.text() : authority; }
  std::string text() const { return "http://" + host() + path; }
};

// Throws InvalidInput naming `shown_as` (the flag or argument) and what is wrong. Asks nobody: a
// name need not exist.
Url parse_url(std::string_view text, std::string_view shown_as);

// The addresses (IPv4 and IPv6) of a host with its port, in the order in which they are to be
// tried: a numeric one is its own, `localhost` is 127.0.0.1 and then ::1, other names are the
// system's to resolve. At least one; throws InvalidInput naming `shown_as` where there is none.
std::vector<Address> addresses_of(const Address& host, std::string_view shown_as);

}  // namespace retrystorm
