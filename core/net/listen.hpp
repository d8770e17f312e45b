// A listening socket, or one clear line that says why there is none.
#pragma once

#include "core/net/address.hpp"

#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace retrystorm {

// Listens on `address` (port 0: a free one) with TCP_NODELAY, which accepted sockets inherit.
// Throws RunFailed naming `flag`, the flag that chose the address.
boost::asio::ip::tcp::acceptor listen_on(boost::asio::io_context& context, const Address& address,
                                         std::string_view flag);

// Where it really listens.
Address local_address(const boost::asio::ip::tcp::acceptor& acceptor);

}  // namespace retrystorm
