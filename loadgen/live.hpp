// What one generator thread counts while it runs. The thread alone writes; the progress line and a
// scrape read, at no cost to it (relaxed loads and stores, which are plain ones on this hardware).
#pragma once

#include "core/outcome.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace retrystorm::loadgen {

// A number with a single writer.
class Counter {
 public:
  void add(std::uint64_t n = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void set(std::uint64_t value) { value_.store(value, std::memory_order_relaxed); }
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// A Prometheus histogram with a single writer: few bounds, from 0.1 ms to 10 s.
class LiveHistogram {
 public:
  static constexpr auto bounds = [] {
    using namespace std::chrono_literals;
    return std::array<Duration, 16>{100us, 200us, 500us, 1ms,   2ms, 5ms, 10ms, 20ms,
                                    50ms,  100ms, 200ms, 500ms, 1s,  2s,  5s,   10s};
  }();

  void record(Duration value) {
    const auto at = std::lower_bound(bounds.begin(), bounds.end(), value);
    counts_[static_cast<std::size_t>(at - bounds.begin())].add();
    sum_.add(static_cast<std::uint64_t>(std::max(value, Duration::zero()).count()));
  }
  // Values in (bounds[i - 1], bounds[i]]; the last is for those beyond all bounds.
  std::uint64_t count(std::size_t i) const { return counts_[i].get(); }
  Duration sum() const { return Duration(static_cast<std::int64_t>(sum_.get())); }

 private:
  std::array<Counter, bounds.size() + 1> counts_;
  Counter sum_;  // ns
};

struct LiveCounts {
  // Attempts by number: 0, 1, 2, and 3 or more.
  static constexpr std::array<const char*, 4> attempt_labels = {"0", "1", "2", "3+"};
  static std::size_t label_of(std::uint32_t attempt) {
    return std::min<std::size_t>(attempt, attempt_labels.size() - 1);
  }

  Counter offered;
  std::array<Counter, request_outcome_names.size()> requests;
  Counter attempts;  // sent
  std::array<std::array<Counter, attempt_outcome_names.size()>, attempt_labels.size()> ended;
  Counter late_read;
  Counter in_flight;
  LiveHistogram send_lag;
  LiveHistogram request_latency;  // of succeeded requests, from the schedule

  std::uint64_t ended_so(AttemptOutcome outcome) const {
    std::uint64_t sum = 0;
    for (const auto& by_outcome : ended) sum += by_outcome[static_cast<std::size_t>(outcome)].get();
    return sum;
  }
  std::uint64_t ended_so(RequestOutcome outcome) const {
    return requests[static_cast<std::size_t>(outcome)].get();
  }
};

}  // namespace retrystorm::loadgen
