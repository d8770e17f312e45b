// One connection: reads requests, asks the Station, replies, and finds out whether the client is
// still there. Callbacks on its loop's thread; its own buffer; at most one operation outstanding.
// Sessions are kept by their loop and used again for connection after connection.
#pragma once

#include "core/net/descriptor.hpp"
#include "core/net/handler_memory.hpp"
#include "core/net/replies.hpp"
#include "core/net/request_reader.hpp"
#include "core/record.hpp"
#include "service/limits.hpp"
#include "service/shared_station.hpp"

#include <array>
#include <cstdint>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/intrusive/list.hpp>

namespace retrystorm {

class Loop;

// Whether a connection came while there was room for it. A guest came beyond the cap, and may only
// ask for the service's health.
enum class Place : std::uint8_t { own, guest };

class Session {
 public:
  // `memory` for its operations; must outlive the loop's context.
  Session(Loop& loop, std::uint32_t slot, HandlerMemory& memory);

  // Takes over an accepted socket. May throw bad_alloc; then it is as if never started.
  void start(Descriptor socket, Place place);
  // The job that this connection waits for is done: looks for the client and replies.
  void complete(const Completion& completion);
  // Its time is up: says so where a request has begun, and closes.
  void expire();
  // The service shuts down: closes if no request has begun.
  void close_if_idle();
  // A newer guest takes its place.
  void give_way() { close(); }
  // The service ends now: what is unfinished gets its row. `job`: its job, if it holds a worker.
  void finish(const Job* job);

  bool open() const { return socket_.is_open(); }
  bool waits_for_job() const { return state_ == State::waiting; }

  // For the loop's lists of deadlines.
  using Hook = boost::intrusive::list_member_hook<
      boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  Hook hook;
  Instant deadline{};

 private:
  enum class State : std::uint8_t {
    reading,    // for a request, or the rest of one
    waiting,    // for its job
    writing,    // a reply that did not go out at once
    lingering,  // reads away what comes after the last reply, so that a close does not destroy it
  };
  // With the loop's own executor, not a type-erased one: it is asked several times a request.
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                                  boost::asio::io_context::executor_type>;
  enum class Sent : std::uint8_t { whole, later, failed };

  void time(Timed what, Instant now);
  void read();
  void on_read(const boost::system::error_code& error, std::size_t size);
  void on_written(const boost::system::error_code& error);
  void advance();
  bool take_request();
  bool arrive();
  void count_completed(const Completion& completion, bool gone);
  Then then() const;  // what a reply says of the connection now
  Sent say(Say what);
  Sent send(std::string_view bytes);
  bool conclude(Sent sent, Instant now);
  bool after_reply(Instant now);
  void refuse_and_close(Say what);
  void linger(Instant now);
  void look_once_more();
  void left(const boost::system::error_code& error);
  void amend();
  void close();

  Loop& loop_;
  std::uint32_t slot_;
  HandlerMemory& memory_;
  Socket socket_;
  State state_ = State::reading;
  Timed timed_ = Timed::head;
  bool pending_ = false;       // an operation is outstanding: its handler will release us
  bool keep_ = false;          // the connection outlives the reply that is being sent
  bool verdict_open_ = false;  // row_ is completed and replied to; the next use may reveal a reset
  bool timed_out_ = false;     // counted
  bool guest_ = false;
  bool unheard_ = false;   // a guest that has not been answered
  std::string_view rest_;  // of the reply, not sent yet
  std::size_t lingered_ = 0;
  ArrivalRecord row_;
  RequestReader reader_;
  std::array<char, Replies::longest> late_;  // the rest, where it takes its time: the date in the
                                             // prepared bytes may not wait for it
};

}  // namespace retrystorm
