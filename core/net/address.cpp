#include "core/net/address.hpp"

#include "core/error.hpp"
#include "core/units.hpp"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

namespace retrystorm {
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
  const auto invalid = [&] {
    return InvalidInput(
        command_line, shown_as,
        fmt::format("must be a numeric address and a port such as 127.0.0.1:8080; got '{}'",
                    printable(text)));
  };
  std::string_view host = text;
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) throw invalid();
    host = text.substr(1, end - 1);
    const std::string_view rest = text.substr(end + 1);
    if (!rest.starts_with(':')) throw invalid();
    port = rest.substr(1);
  } else if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  const auto number = parse_integer(port);
  if (!number || *number < 0 || *number > 65535) throw invalid();
  boost::system::error_code error;
  const std::string name = host == "localhost" ? "127.0.0.1" : std::string(host);
  const auto ip = boost::asio::ip::make_address(name, error);
  if (error) throw invalid();
  return {ip.to_string(), static_cast<std::uint16_t>(*number)};
}

}  // namespace retrystorm
