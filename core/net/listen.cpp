#include "core/net/listen.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

namespace retrystorm {

namespace asio = boost::asio;
using asio::ip::tcp;

tcp::acceptor listen_on(asio::io_context& context, const Address& address, std::string_view flag) {
  tcp::acceptor acceptor(context);
  boost::system::error_code error;
  const auto ip = asio::ip::make_address(address.host, error);
  const tcp::endpoint endpoint(ip, address.port);
  if (!error) acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.set_option(tcp::no_delay(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) acceptor.non_blocking(true, error);
  if (error) {
    const std::string_view remedy =
        error == asio::error::address_in_use ? "; choose another port, or 0 for a free one" : "";
    throw RunFailed(
        fmt::format("{} {}: cannot listen: {}{}", flag, address.text(), error.message(), remedy));
  }
  return acceptor;
}

Address local_address(const tcp::acceptor& acceptor) {
  const tcp::endpoint endpoint = acceptor.local_endpoint();
  return {endpoint.address().to_string(), endpoint.port()};
}

}  // namespace retrystorm
