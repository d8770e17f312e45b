#include "core/net/address.hpp"

#include "core/error.hpp"
#include "core/units.hpp"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

// "host:port" or "[v6]:port"; without a port where `default_port` allows it.
Address split(std::string_view text, std::string_view shown_as, std::string_view remedy,
              int default_port) {
  const auto invalid = [&] {
    return InvalidInput(command_line, shown_as,
                        fmt::format("{}; got '{}'", remedy, printable(text)));
  };
  std::string_view host = text;
  std::string_view port;
  bool has_port = false;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) throw invalid();
    host = text.substr(1, end - 1);
    const std::string_view rest = text.substr(end + 1);
    has_port = rest.starts_with(':');
    if (!rest.empty() && !has_port) throw invalid();
    if (has_port) port = rest.substr(1);
  } else if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    has_port = true;
  }
  const auto number = has_port ? parse_integer(port) : std::optional<std::int64_t>(default_port);
  if (!number || *number < 0 || *number > 65535) throw invalid();
  boost::system::error_code error;
  const std::string name = host == "localhost" ? "127.0.0.1" : std::string(host);
  const auto ip = boost::asio::ip::make_address(name, error);
  if (error) throw invalid();
  return {ip.to_string(), static_cast<std::uint16_t>(*number)};
}

}  // namespace

std::string Address::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

bool Address::loopback() const {
  boost::system::error_code error;
  const auto ip = boost::asio::ip::make_address(host, error);
  return !error && ip.is_loopback();
}

Address parse_address(std::string_view text, std::string_view shown_as) {
  return split(text, shown_as, "must be a numeric address and a port such as 127.0.0.1:8080", -1);
}

Url parse_url(std::string_view text, std::string_view shown_as) {
  constexpr std::string_view remedy =
      "must be a URL with a numeric host such as http://127.0.0.1:8080/";
  constexpr std::string_view scheme = "http://";
  const std::string_view whole = text;
  const auto invalid = [&] {
    return InvalidInput(command_line, shown_as,
                        fmt::format("{}; got '{}'", remedy, printable(whole)));
  };
  if (!text.starts_with(scheme)) throw invalid();
  text.remove_prefix(scheme.size());
  const std::size_t slash = text.find('/');
  Url url;
  url.path = slash == std::string_view::npos ? "/" : std::string(text.substr(slash));
  url.path = url.path.substr(0, url.path.find('#'));
  for (const char c : url.path) {
    if (c <= ' ' || c > '~') throw invalid();  // would break the request line
  }
  if (url.path.size() > 2000) throw invalid();
  url.address = split(text.substr(0, slash), shown_as, remedy, 80);
  if (url.address.port == 0) throw invalid();
  return url;
}

}  // namespace retrystorm
