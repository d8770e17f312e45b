#include "loadgen/target.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace retrystorm::loadgen {
namespace {

namespace asio = boost::asio;

bool takes_connections(const Address& address, Duration limit) {
  asio::io_context io;
  asio::ip::tcp::socket socket(io);
  boost::system::error_code end = asio::error::timed_out;
  socket.async_connect({asio::ip::make_address(address.host), address.port},
                       [&](const boost::system::error_code& error) { end = error; });
  io.run_for(limit);
  return !end;
}

}  // namespace

Address answering(const std::vector<Address>& addresses, Duration limit) {
  if (addresses.size() > 1) {
    for (const Address& address : addresses) {
      if (takes_connections(address, limit)) return address;
    }
  }
  return addresses.front();
}

}  // namespace retrystorm::loadgen
