// The one Station behind all loops: a lock, the rule who wakes it, and for `spin` the threads that
// burn its work. Where memory ends, arrivals are refused; nothing else in here needs any. What is
// completed is handed to the loop of its connection.
//
// Who wakes it: whoever changes the Station (an arrival, a wake-up) and finds that the next due
// time is earlier than every timer set so far sets its own timer. So one timer at a time is in
// charge, on some loop, and no loop ever has to ask another to set one.
#pragma once

#include "core/lane.hpp"
#include "core/station.hpp"
#include "service/counters.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace retrystorm {

// A job's token names its connection: the loop, and the slot there.
struct JobToken {
  std::uint32_t loop = 0;
  std::uint32_t slot = 0;
  std::uint64_t packed() const { return static_cast<std::uint64_t>(loop) << 32 | slot; }
  static JobToken unpack(std::uint64_t v) {
    return {static_cast<std::uint32_t>(v >> 32), static_cast<std::uint32_t>(v)};
  }
};

// A job whose work is done; its worker is free already.
struct Completion {
  Job job;
  Instant finished{};  // when that was noticed
};

class SharedStation {
 public:
  // `deliver` hands over a completion of a spinning worker; called on that worker's thread. Throws
  // RunFailed where there is no thread for a worker that spins.
  SharedStation(const Scenario& scenario, std::function<void(const Completion&)> deliver);
  ~SharedStation();
  SharedStation(const SharedStation&) = delete;
  SharedStation& operator=(const SharedStation&) = delete;

  struct Arrived {
    Admitted admitted;
    Instant arrived{};  // `now`, or the latest instant the Station has seen, if that is later
    Instant wake{};     // set a timer of the calling loop to this; `never`: no need
  };
  // An arrival at `now`; what is due by then happens first and is appended to `completed`, which
  // must have room for a completion of every connection. Refused with Reason::resources where the
  // queue has a place but there is no memory for it.
  //
  // `work`: the mean that the request asks for; 0: the service's.
  Arrived arrive(JobToken token, Instant now, std::vector<Completion>& completed,
                 Duration work = {});

  // A loop's timer fired: advances; returns when to set it next, `never` if another one is in
  // charge.
  Instant wake_up(std::uint32_t loop, Instant now, std::vector<Completion>& completed);

  StationView view() const;

  // Ends the spinning workers at once. Then, with no thread in here any more, in_work() lists the
  // jobs that hold a worker.
  void stop();
  std::vector<Job> in_work() const;

 private:
  struct Sink;

  void note_work(JobToken token, Duration work);
  Duration work_of(JobToken token) const;
  Instant due_before_all_timers(std::uint32_t loop);
  void spin_jobs();
  void spin(const Job& job, std::vector<Completion>& completed);

  mutable std::mutex mutex_;
  Station station_;
  std::vector<std::vector<Duration>> work_;  // asked for, by loop and slot; as far as any did
  Instant last_{};        // time does not run backwards in here, whichever thread brings it
  Instant timer_{never};  // what the timer in charge is set to
  std::uint32_t timer_loop_ = 0;
  std::function<void(const Completion&)> deliver_;
  std::atomic<bool> stopping_{false};
  std::condition_variable wake_spinner_;
  Lane<Job> to_spin_;             // started, and no thread has taken it yet
  std::vector<Job> interrupted_;  // spinning when stop() came
  std::vector<std::thread> spinners_;
};

}  // namespace retrystorm
