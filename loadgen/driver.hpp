// One thread of the generator: carries bytes and time between the Client state machine, which
// decides, and the sockets. One io_context, one timer for the earliest thing due, one read always
// waiting on every open connection, sends straight from the loop.
#pragma once

#include "core/clients.hpp"
#include "core/net/url.hpp"
#include "loadgen/connection.hpp"
#include "loadgen/observed.hpp"
#include "loadgen/request_text.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace retrystorm::loadgen {

struct DriverPlan {
  Scenario scenario;  // max_in_flight: of this thread
  Reason at_cap = Reason::in_flight_limit;
  Url target;
  std::uint64_t token = 0;
  Duration spin{};
  Arrivals::Share share;
  // A connection idle for less is used without asking whether the server has closed it.
  Duration trusted_idle = std::chrono::milliseconds(1);
  // A first attempt sent later than this after its schedule counts as late.
  Duration late = late_from({});
};

class Driver {
 public:
  Driver(const DriverPlan& plan, LiveCounts& live);

  // Runs the schedule that starts at `origin` (on the steady clock) and returns when everything
  // offered has ended or was cut.
  void run(Instant origin, LedgerFiles files);

  // From any thread, at any time: ends sending and drains; cuts at once; runs something within the
  // loop (for tests).
  void stop();
  void leave();
  void post(std::function<void()> task);

  // After run() has returned.
  const Recorder& recorder() const { return recorder_; }
  std::uint64_t opened() const { return connections_.opened(); }
  // True if stop() or leave() came before the end.
  bool interrupted() const { return interrupted_; }
  // Requests that an interrupt kept from being offered; nothing if they are too many to draw.
  std::optional<std::uint64_t> planned() const { return client_.arrivals().remaining(); }

 private:
  // From the start of the schedule.
  Instant now();

  // As many attempts in flight as may be.
  bool full() const { return client_.in_flight() >= most_in_flight_; }

  void turn();
  void take_unsent();
  void follow_up();
  void arm();

  void take(const Step& step, Instant at);
  void make(const Outgoing& attempt);
  void time_out(AttemptKey key, Instant at);
  void write(Connection& c);
  void await_writable(Connection& c);
  void await_input(Connection& c);
  void on_writable(Connection& c, AttemptKey key);
  void on_input(Connection& c, const boost::system::error_code& error, std::size_t n);
  void replied(Connection& c, bool open);
  void lost(Connection& c, const Failure& failure);
  void fail(const Outgoing& attempt, const Failure& failure);
  void end(AttemptKey key, const AttemptEnd& how, Instant at,
           std::optional<Duration> retry_after = std::nullopt);

  void stop_sending();
  void cut();
  void finish();

  boost::asio::io_context io_{1};
  boost::asio::steady_timer timer_{io_};
  Clients client_;
  Connections connections_;
  std::vector<RequestText> requests_;  // by class
  Recorder recorder_;
  std::vector<Connection*> carriers_;  // by slot of the attempt's key: what carries it
  Instant schedule_end_;
  Duration drain_limit_;
  Duration spin_;
  Duration trusted_idle_;
  std::vector<ClientSettings> classes_;  // what each class of clients does
  std::uint64_t most_in_flight_;
  Instant origin_{};
  Instant latest_ = Instant::min();  // time does not run backwards here, whatever the clock does
  Instant drain_end_ = never;        // known once the last request has been offered
  Instant armed_for_ = never;
  std::uint64_t timer_serial_ = 0;
  bool interrupted_ = false;
  bool finished_ = false;
};

}  // namespace retrystorm::loadgen
