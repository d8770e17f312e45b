// What happens in each window of a simulated run from an instant on, however long it goes on:
// events by their own instant, and the time means of what is open and what waits. It only watches.
#pragma once

#include "core/settling.hpp"
#include "model/simulate/simulation.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace retrystorm {

struct WindowSum {
  std::uint32_t offered = 0, attempts = 0, succeeded = 0, completed = 0, abandoned = 0;
  double open_ns = 0, queue_ns = 0;  // requests times nanoseconds
};

class WindowSums : public SimulationObserver {
 public:
  explicit WindowSums(Duration window, Instant start = {})
      : window_(window.count()), start_(nanoseconds_of(start)) {}

  void offered(Instant scheduled, std::uint8_t) {
    ++at(scheduled).offered;
    pass(nanoseconds_of(scheduled));
    ++open_;
  }
  void attempted(const Outgoing& attempt) { ++at(attempt.sent).attempts; }
  void request_ended(const Final& final, Instant now) {
    if (final.outcome == RequestOutcome::succeeded) ++at(now).succeeded;
    pass(nanoseconds_of(now));
    --open_;
  }
  void arrived(std::uint64_t, Instant now) {
    pass(nanoseconds_of(now));
    ++queue_;
  }
  void refused(std::uint64_t, Reason, Instant) { --queue_; }  // at the instant it arrived
  void started(const Job& job) {
    pass(nanoseconds_of(job.picked));
    --queue_;
  }
  void completed(const Job& job) { ++at(job.due).completed; }
  void abandoned(std::uint64_t, Instant, Instant finished) { ++at(finished).abandoned; }

  // The first `count` windows, when all that happened in them is told. Abandoned completions are
  // told when their reply arrives, half a round trip later.
  const std::vector<WindowSum>& sums(std::size_t count) {
    pass(start_ + static_cast<std::int64_t>(count) * window_);
    if (sums_.size() < count) sums_.resize(count);
    return sums_;
  }

 private:
  WindowSum& at(Instant instant) {
    if (nanoseconds_of(instant) < start_) return before_;
    const auto index = static_cast<std::size_t>((nanoseconds_of(instant) - start_) / window_);
    if (index >= sums_.size()) sums_.resize(index + 1);
    return sums_[index];
  }
  // What is open and what waits stayed as it was until `now`; no window may be left half told.
  void pass(std::int64_t now) {
    if (passed_ < start_) passed_ = std::min(now, start_);
    while (now > passed_) {
      const std::int64_t index = (passed_ - start_) / window_;
      const std::int64_t until = std::min(now, start_ + (index + 1) * window_);
      WindowSum& sum = at(instant_at(passed_));
      const auto time = static_cast<double>(until - passed_);
      sum.open_ns += time * static_cast<double>(open_);
      sum.queue_ns += time * static_cast<double>(queue_);
      passed_ = until;
    }
  }

  std::int64_t window_;
  std::int64_t start_;
  std::int64_t passed_ = 0;
  std::int64_t open_ = 0, queue_ = 0;
  std::vector<WindowSum> sums_;
  WindowSum before_;  // the start: not asked for
};

}  // namespace retrystorm
