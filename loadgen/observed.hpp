// What a generator thread has seen: every attempt and request is booked here once, in counts,
// latencies, windows and the ledger. Threads' books are merged at the end.
#pragma once

#include "core/classes.hpp"
#include "core/client.hpp"
#include "core/histogram.hpp"
#include "core/ledger.hpp"
#include "core/load_offered.hpp"
#include "core/reason.hpp"
#include "core/settling.hpp"
#include "core/stage_counts.hpp"
#include "loadgen/live.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace retrystorm::loadgen {

// A connect() call longer than this is slow: the kernel searches for a port.
inline constexpr Duration slow_connect_from = std::chrono::milliseconds(1);

using ReasonCounts = ByReason<std::uint64_t>;
// By HTTP status, of which three digits are read.
using StatusCounts = std::array<std::uint64_t, 1000>;

// What happened within a window of the run, each event by its own instant.
struct WindowCounts {
  std::uint64_t offered = 0, attempts = 0, succeeded = 0;
  std::int64_t open_ns = 0;  // requests that were open, times nanoseconds
};

// The windows that a run is judged by (core/settling.hpp), a whole number of them in one here where
// they would be more than `most_windows`: books are kept for each.
inline constexpr std::size_t most_windows = 6000;
Windows booked_windows(const Scenario& scenario);

// Plain sums, so that the books of several threads merge.
struct Observed {
  std::uint64_t offered = 0, attempts = 0, late = 0, late_read = 0;
  std::array<std::uint64_t, attempt_outcome_names.size()> attempt_outcomes{};
  std::array<std::uint64_t, request_outcome_names.size()> request_outcomes{};
  ReasonCounts gave_up{}, unsent{}, io_errors{}, connect_errors{};
  StatusCounts statuses{};
  std::vector<WindowCounts> windows;       // booked_windows() of them
  StageCounts stages;                      // of a load in stages
  LatencyHistogram request, attempt, all;  // successes from schedule, from send; all final outcomes
  LatencyHistogram lag;                    // sent - scheduled, of first attempts
  LatencyHistogram connect_call;           // the system call, not the handshake
  std::uint64_t slow_connects = 0;
  std::uint64_t most_in_flight = 0;
  Instant last_outcome{};  // of an attempt or request, from the start

  std::uint64_t of(AttemptOutcome o) const { return attempt_outcomes[static_cast<std::size_t>(o)]; }
  std::uint64_t of(RequestOutcome o) const { return request_outcomes[static_cast<std::size_t>(o)]; }
  void merge(const Observed& other);
};

// How an attempt ended.
struct AttemptEnd {
  AttemptOutcome outcome = AttemptOutcome::unfinished;
  std::uint16_t status = 0;
  Reason reason = Reason::none;
  bool reused = false;
};

// The two files of a thread; nullptr without a ledger.
struct LedgerFiles {
  LedgerFile* attempts = nullptr;
  LedgerFile* requests = nullptr;
};

// One thread's bookkeeper. Instants count from the start of the schedule.
class Recorder {
 public:
  // A first attempt sent later than `late` after its schedule counts as late.
  Recorder(const Scenario& scenario, LiveCounts& live, Duration late = late_from({}))
      : classes_(scenario.classes.size()),
        live_(live),
        class_live_(scenario.classes.size(), LiveCounts(longest_timeout(scenario))),
        late_(late),
        window_(booked_windows(scenario).length.count()) {
    const std::size_t windows = booked_windows(scenario).count;
    const auto prepare = [&](Observed& seen) {
      seen.windows.resize(windows);
      seen.stages = StageCounts(scenario);
    };
    prepare(seen_);
    for (Observed& seen : classes_) prepare(seen);
  }

  // `origin`: the start of the schedule on the steady clock.
  void start(Instant origin, LedgerFiles files) {
    origin_ = origin;
    files_ = files;
  }
  void offered(Instant scheduled, std::uint8_t client_class = 0);
  void sent(const Outgoing& attempt);
  void connect_called(Duration took);
  void late_read(const Outgoing& attempt);
  void ended(const Outgoing& attempt, const AttemptEnd& end, Instant now);
  void ended(const Final& final, Instant now);
  void in_flight(std::uint64_t now);

  const Observed& observed() const { return seen_; }
  // Each class's part of it, if there are several; what the thread did for all is in none.
  const std::vector<Observed>& by_class() const { return classes_; }
  // The same of what counts while the run goes on: to be read by any thread.
  const std::vector<LiveCounts>& live_by_class() const { return class_live_; }

 private:
  // Lets `book` count into the book of all, and into that of the class.
  template <typename Book>
  void count(std::uint8_t client_class, Book book) {
    book(seen_);
    if (!classes_.empty()) book(classes_[client_class]);
  }
  // Lets `book` count into the live counts of all, and into those of the class.
  template <typename Book>
  void count_live(std::uint8_t client_class, Book book) {
    book(live_);
    if (!class_live_.empty()) book(class_live_[client_class]);
  }
  // Lets `book` count into the window of that instant, if it is in one.
  template <typename Book>
  void in_window(Observed& seen, Instant at, Book book) {
    const std::int64_t index = nanoseconds_of(at) / window_;
    if (index >= 0 && static_cast<std::size_t>(index) < seen.windows.size()) {
      book(seen.windows[static_cast<std::size_t>(index)]);
    }
  }
  // The request was open from `from` to `to`.
  void open(Observed& seen, Instant from, Instant to) const;
  // As the ledger holds it: on the steady clock.
  std::int64_t on_clock(Instant at) const { return nanoseconds_of(origin_ + since_start(at)); }

  Observed seen_;
  std::vector<Observed> classes_;  // none for one class
  LiveCounts& live_;
  std::vector<LiveCounts> class_live_;  // none for one class
  LedgerFiles files_;
  Instant origin_{};
  Duration late_;
  std::int64_t window_;  // nanoseconds
};

}  // namespace retrystorm::loadgen
