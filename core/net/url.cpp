#include "core/net/url.hpp"

#include "core/error.hpp"
#include "core/units.hpp"

#include <algorithm>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

namespace ip = boost::asio::ip;

constexpr std::string_view example = "http://127.0.0.1:8080/";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return result;
}

// Takes a URL apart, from left to right; each thing that can be wrong has its sentence.
class Parts {
 public:
  Parts(std::string_view text, std::string_view shown_as) : whole_(text), shown_as_(shown_as) {}

  Url url() const {
    const std::string_view rest = after_scheme();
    const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
    Url url;
    url.authority = rest.substr(0, end);
    url.path = target(rest.substr(end, rest.find('#') - end));
    url.address = address(url.authority);
    return url;
  }

 private:
  InvalidInput wrong(std::string_view remedy) const {
    return InvalidInput(command_line, shown_as_,
                        fmt::format("{}; got '{}'", remedy, printable(whole_)));
  }

  std::string_view after_scheme() const {
    constexpr std::string_view mark = "://";
    const std::size_t at = whole_.find(mark);
    const std::string scheme = lower(whole_.substr(0, at));
    if (at != whole_.npos && scheme == "https") {
      throw wrong("must begin with http://: TLS is not spoken here");
    }
    if (at == whole_.npos || scheme != "http") {
      throw wrong(fmt::format("must begin with http://, as {} does", example));
    }
    return whole_.substr(at + mark.size());
  }

  // Path and query.
  std::string target(std::string_view text) const {
    for (const char c : text) {
      if (c > ' ' && c <= '~') continue;  // another would break the request line
      throw wrong(fmt::format("must have '{}' in its path or query written as %{:02X}",
                              printable(std::string_view(&c, 1)), static_cast<unsigned char>(c)));
    }
    const std::string path = text.starts_with('/') ? std::string(text) : fmt::format("/{}", text);
    if (path.size() > longest_target) {
      throw wrong(fmt::format("must have a path and query of at most {} bytes, not {}",
                              longest_target, path.size()));
    }
    return path;
  }

  Address address(std::string_view authority) const {
    if (authority.find('@') != authority.npos) throw wrong("must not name a user or password");
    std::string_view host = authority;
    std::string_view port;  // with its colon
    if (authority.starts_with('[')) {
      const std::size_t end = authority.find(']');
      if (end == authority.npos) throw wrong("must close the bracket of its IPv6 address");
      host = authority.substr(1, end - 1);
      port = authority.substr(end + 1);
      boost::system::error_code error;
      const auto v6 = ip::make_address_v6(std::string(host), error);
      if (error) throw wrong("must have an IPv6 address between its brackets");
      return {v6.to_string(), number(port)};
    }
    const std::size_t colon = authority.find(':');
    if (colon != authority.npos) {
      if (authority.find(':', colon + 1) != authority.npos) {
        throw wrong("must have its IPv6 address in brackets, as http://[::1]:8080/ has");
      }
      host = authority.substr(0, colon);
      port = authority.substr(colon);
    }
    return {name(host), number(port)};
  }

  std::string name(std::string_view host) const {
    if (host.empty()) throw wrong(fmt::format("must name a host, as {} does", example));
    const bool fit = std::all_of(host.begin(), host.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '-' || c == '.' || c == '_';
    });
    if (!fit) throw wrong("must name a host of letters, digits, '-', '_' and '.'");
    return std::string(host);
  }

  std::uint16_t number(std::string_view port) const {
    if (port.empty()) return 80;
    const auto number = port.starts_with(':') ? parse_integer(port.substr(1)) : std::nullopt;
    if (!number || *number < 1 || *number > 65535) {
      throw wrong("must have a port from 1 to 65535 behind its host");
    }
    return static_cast<std::uint16_t>(*number);
  }

  std::string_view whole_;
  std::string_view shown_as_;
};

bool is_localhost(std::string_view host) {
  const std::string name = lower(host);
  return name == "localhost" || name.ends_with(".localhost");
}

}  // namespace

Url parse_url(std::string_view text, std::string_view shown_as) {
  return Parts(text, shown_as).url();
}

std::vector<Address> addresses_of(const Address& host, std::string_view shown_as) {
  boost::system::error_code error;
  const auto numeric = ip::make_address(host.host, error);
  if (!error) return {{numeric.to_string(), host.port}};
  // Not the system's to say (RFC 6761): what is named so must not be load for another machine.
  if (is_localhost(host.host)) return {{"127.0.0.1", host.port}, {"::1", host.port}};
  boost::asio::io_context io;
  ip::tcp::resolver resolver(io);
  const auto found = resolver.resolve(host.host, std::to_string(host.port), error);
  std::vector<Address> addresses;
  for (const auto& one : found) {
    const std::string text = one.endpoint().address().to_string();
    const auto known = [&](const Address& other) { return other.host == text; };
    if (std::none_of(addresses.begin(), addresses.end(), known)) {
      addresses.push_back({text, host.port});
    }
  }
  if (addresses.empty()) {
    throw InvalidInput(
        command_line, shown_as,
        fmt::format("must name a host that can be found; {}: {}", host.host, error.message()));
  }
  return addresses;
}

}  // namespace retrystorm
