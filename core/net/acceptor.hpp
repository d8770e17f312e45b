// Accepts connections for a server of ours, and survives running out of descriptors and memory.
//
// For the service one acceptor rather than a listening socket per loop (SO_REUSEPORT): the kernel
// spreads connections over such sockets by hash, which is uneven for the few dozen that a client
// keeps; a closed one drops what waits in it; and the cap is one number. The price is one hand-over
// between threads a connection, not a request.
#pragma once

#include "core/net/address.hpp"
#include "core/net/descriptor.hpp"
#include "core/net/handler_memory.hpp"
#include "core/net/listen.hpp"

#include <functional>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace retrystorm {

class Acceptor {
 public:
  struct Hooks {
    std::function<void(Descriptor)> accept;  // takes a connection over, or lets it close
    // Accepting failed for want of descriptors or memory (errno); so many were turned away.
    std::function<void(int, int)> failed;
  };

  // What it waits with; must outlive the context.
  struct Memory {
    HandlerMemory wait;
    HandlerMemory back_off;
  };

  // On the acceptor's own context, whose thread calls the hooks; none may throw.
  Acceptor(boost::asio::ip::tcp::acceptor acceptor, Memory& memory, Hooks hooks);

  // Where it listens.
  Address address() const { return local_address(acceptor_); }
  // Begins to accept.
  void start();
  // Closes the listening socket.
  void stop();

 private:
  void wait();
  void accept_all();
  void give_up_on(int error);
  void wait_to_try_again();

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer back_off_;
  Memory& memory_;
  Hooks hooks_;
  Descriptor reserve_;  // spent when there is no other, to turn away those who wait
};

}  // namespace retrystorm
