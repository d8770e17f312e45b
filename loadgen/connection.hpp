// The connections of a generator thread: a slab of objects, the idle ones last in, first out, and
// the socket calls with what their errors mean. Who sends what on them is the driver's.
#pragma once

#include "core/client.hpp"
#include "core/reason.hpp"
#include "core/scenario.hpp"
#include "loadgen/reply.hpp"

#include <cstdint>
#include <deque>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/intrusive/list.hpp>

namespace retrystorm::loadgen {

namespace hook = boost::intrusive;

struct Connection : hook::list_base_hook<hook::link_mode<hook::auto_unlink>> {
  enum class State : std::uint8_t {
    closed,      // in the slab
    connecting,  // an attempt waits for it
    busy,        // an attempt is in flight on it
    idle,        // kept for the next attempt
    closing,     // closed; handlers of its operations have not run yet
  };

  explicit Connection(boost::asio::io_context& io) : socket(io) {}

  boost::asio::ip::tcp::socket socket;
  State state = State::closed;
  std::uint8_t pending = 0;  // operations whose handlers have not run
  bool reading = false;      // one of them is a read
  bool reused = false;       // the attempt is not its first
  AttemptKey key;            // of the attempt
  std::size_t written = 0;   // bytes of its request
  Instant idle_since{};
  Reply reply;
};

// Why a connection or an attempt on it failed. `made`: false if the attempt never was.
struct Failure {
  bool made = true;
  AttemptOutcome outcome = AttemptOutcome::connect_error;
  Reason reason = Reason::none;
};

// What an errno of socket(), connect() or the end of a connect means.
Failure connect_failure(int error);

class Connections {
 public:
  Connections(boost::asio::io_context& io, boost::asio::ip::tcp::endpoint target)
      : io_(io), target_(std::move(target)) {}

  // The most recently used idle connection, nullptr if there is none. One that was idle for
  // `trusted` or more is asked first whether the peer has closed it; the waiting read tells of the
  // others, unless the close came within this turn of the loop.
  Connection* take_idle(Instant now, Duration trusted);

  // A socket, its connect() begun but not waited for; or why there is none. `took` is the length of
  // the connect() call (zero if it was not reached).
  struct Opened {
    Connection* connection = nullptr;
    Failure failure;
    Duration took{};
  };
  Opened open();

  // Sends from `written` on, as far as the socket takes it. An errno, 0 when all is out.
  int write(Connection& c, std::string_view request);

  // The exchange is over and the connection can carry another.
  void keep(Connection& c, Instant now);

  // Closes; the object is used again once its last handler has run.
  void close(Connection& c, Abandon how = Abandon::fin);

  // A handler of `c` runs: true if it belongs to a connection that has been closed meanwhile.
  bool was_closed(Connection& c);

  // Of a connection whose peer closed in good order without a byte of reply: true if it had already
  // done so when the request was sent.
  static bool was_stale(Connection& c);

  void close_all(Abandon how);

  std::uint64_t opened() const { return opened_; }

 private:
  boost::asio::io_context& io_;
  boost::asio::ip::tcp::endpoint target_;
  std::deque<Connection> slab_;
  std::vector<Connection*> free_;
  hook::list<Connection, hook::constant_time_size<false>> idle_;
  std::uint64_t opened_ = 0;
};

}  // namespace retrystorm::loadgen
