// Accepts connections and hands them to the loops in rotation. Survives running out of descriptors
// and keeps to the connection cap.
//
// One acceptor rather than a listening socket per loop (SO_REUSEPORT): the kernel spreads
// connections over such sockets by hash, which is uneven for the few dozen that a client keeps; a
// closed one drops what waits in it; and the cap is one number. The price is one hand-over between
// threads a connection, not a request.
#pragma once

#include "core/net/descriptor.hpp"

#include <atomic>
#include <cstdint>
#include <functional>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace retrystorm {

class Acceptor {
 public:
  struct Hooks {
    std::function<bool()> has_room;          // below the connection cap
    std::function<void(Descriptor)> accept;  // takes a connection over
    // Accepting failed for want of descriptors or memory (errno); so many were turned away.
    std::function<void(int, int)> failed;
  };

  // On the acceptor's own context, whose thread calls the hooks.
  Acceptor(boost::asio::ip::tcp::acceptor acceptor, Hooks hooks);

  // Begins to accept.
  void start();
  // Closes the listening socket.
  void stop();

 private:
  void wait();
  void accept_all();
  void give_up_on(int error);

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer back_off_;
  Hooks hooks_;
  Descriptor reserve_;  // spent when there is no other, to turn away those who wait
};

}  // namespace retrystorm
