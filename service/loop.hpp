// One thread of the service: its connections, its deadlines, its counts and its ledger file.
// Nothing here is shared with other loops but the Station and an inbox for completions. What a
// connection and its requests need is there before it is taken over; so where memory ends, a
// connection is turned away, and those that are in are served.
#pragma once

#include "core/lane.hpp"
#include "core/ledger.hpp"
#include "core/net/descriptor.hpp"
#include "core/net/handler_memory.hpp"
#include "core/net/replies.hpp"
#include "core/policy/injection.hpp"
#include "core/policy/retry.hpp"
#include "service/counters.hpp"
#include "service/limits.hpp"
#include "service/session.hpp"
#include "service/shared_station.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace retrystorm {

// What all loops share and none changes.
struct Common {
  Common(const Scenario& scenario, const ConnectionLimits& l)
      : limits(l),
        retry_after(sent_retry_after(scenario.service)),
        buckets(scenario),
        injection(scenario),
        fail_status(static_cast<int>(scenario.service.fail_status)) {}
  ConnectionLimits limits;
  std::optional<std::chrono::seconds> retry_after;  // what a 503 says
  ServiceBuckets buckets;
  Injection injection;
  int fail_status;
  std::atomic<std::uint64_t>* strangers = nullptr;  // seen so far, where some are to fail
  SharedStation* station = nullptr;
  std::function<void(const Completion&)> deliver;  // to the loop of its connection
  std::function<void()> draining;                  // the first loop begins to drain
  std::function<void()> drained;                   // a loop has nothing left to finish
  std::uint64_t token = 0;                         // of the run; 0: none
  bool short_of_resources = false;                 // these set the cap of connections
};

class Loop {
 public:
  // `ledger` may be nullptr.
  Loop(std::uint32_t index, const Common& common, LedgerFile* ledger);

  // Before it runs: how many connections there may be, of all loops.
  void expect(std::size_t connections) { found_.reserve(connections); }

  // Runs on the calling thread until stopped.
  void run();

  boost::asio::io_context& context() { return context_; }
  const ServiceCounts& counters() const { return counters_; }

  // Any thread: hands over a completion for one of this loop's connections.
  void deliver(const Completion& completion);
  // Any thread: has drain() called.
  void ask_to_drain();

  // The loop's thread only, from here on.
  void adopt(Descriptor socket, Place place);
  // Guests that are open now.
  std::size_t guests() const { return guests_.size(); }
  // Refuses what comes from now on, closes idle connections, and tells Common::drained once when
  // nothing is left to finish.
  void drain();
  // After the loop has ended: rows for what is unfinished, of which `in_work` hold a worker.
  void finish(const std::vector<Job>& in_work);

  // For sessions.
  const Common& common() const { return common_; }
  const Replies& replies() const { return replies_; }
  ServiceCounts& count() { return counters_; }
  bool draining() const { return draining_; }
  // Whether an arrival is to fail on purpose.
  bool injects(const AttemptId& id) const;
  SharedStation::Arrived arrive(std::uint32_t slot, Instant now, const RequestParser& request);
  void record(const ArrivalRecord& row) {
    if (ledger_) ledger_->add(row);
  }
  void watch(Session& session, Timed what, Instant now);
  void guest_came(std::uint32_t slot) { guests_.push_back(slot); }
  void guest_left(std::uint32_t slot) { std::erase(guests_, slot); }
  // The session may take another connection: its socket is closed and its last handler has run.
  void release(std::uint32_t slot);
  void began_reply() { ++replying_; }
  void ended_reply() { --replying_; }
  void ended_job() { --waiting_; }
  // At the end of each callback: the replies to what it found completed.
  void answer_completed();

 private:
  using Watched =
      boost::intrusive::list<Session,
                             boost::intrusive::member_hook<Session, Session::Hook, &Session::hook>,
                             boost::intrusive::constant_time_size<false>>;

  void add_session();
  void set_station_timer(Instant at);
  void on_station_timer();
  void take_inbox();
  void route();
  void sweep_later();
  void sweep();

  std::uint32_t index_;
  const Common& common_;
  LedgerFile* ledger_;
  ServiceCounts counters_;
  Replies replies_;
  HandlerMemory sweep_memory_;
  std::deque<HandlerMemory> session_memory_;  // of each session; outlives the context
  boost::asio::io_context context_{1};
  boost::asio::steady_timer station_timer_{context_};
  boost::asio::steady_timer sweep_timer_{context_};
  std::deque<Session> sessions_;       // never moved, so that their buffers stay
  std::vector<std::uint32_t> free_;    // last in, first out: warm memory
  std::array<Watched, 6> watched_;     // by Timed
  std::vector<std::uint32_t> guests_;  // their slots, the oldest first
  std::vector<Completion> found_;      // completed, for any loop's connections; not yet looked at
  Lane<Completion> mine_;              // to be replied to in this turn
  bool answering_ = false;
  bool station_overdue_ = false;  // there was no memory for its timer
  std::atomic<bool> asked_to_drain_{false};
  bool draining_ = false;
  bool drained_ = false;
  std::uint64_t waiting_ = 0;   // sessions whose job is queued or in work
  std::uint64_t replying_ = 0;  // sessions whose reply is still going out
  std::mutex inbox_mutex_;
  std::vector<Completion> inbox_;
  std::vector<Completion> taken_;
};

}  // namespace retrystorm
