// What one generator thread counts while it runs; each count has its row in metrics.cpp. The thread
// alone writes; the progress line and a scrape read, at no cost to it.
#pragma once

#include "core/net/counter.hpp"
#include "core/outcome.hpp"
#include "core/reason.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace retrystorm::loadgen {

struct LiveCounts {
  // Attempts by number: 0, 1, 2, and 3 or more.
  static constexpr std::array<std::string_view, 4> attempt_labels = {"0", "1", "2", "3+"};
  static std::size_t label_of(std::uint32_t attempt) {
    return std::min<std::size_t>(attempt, attempt_labels.size() - 1);
  }

  const BucketBounds lag_bounds{
      std::chrono::microseconds(1),
      {10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6}};
  // Around the timeout: the question is always on which side of it an answer came.
  const BucketBounds latency_bounds;
  const Duration timeout;

  Counter offered;
  std::array<Counter, request_outcome_names.size()> requests;
  std::array<Counter, unsent_kind_names.size()> unsent;  // of the requests, by kind
  Counter attempts;                                      // sent
  std::array<std::array<Counter, attempt_outcome_names.size()>, attempt_labels.size()> ended;
  Counter late_read;
  BucketCounts send_lag;         // of first attempts
  BucketCounts request_latency;  // of succeeded requests, from the schedule
  BucketCounts attempt_latency;  // of succeeded attempts, from the send

  explicit LiveCounts(Duration timeout_of_an_attempt = std::chrono::milliseconds(100))
      : latency_bounds(timeout_of_an_attempt, {0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1, 1.1, 1.25,
                                               1.5, 2, 3, 5, 10, 20, 50}),
        timeout(timeout_of_an_attempt) {}

  std::uint64_t ended_so(AttemptOutcome outcome) const {
    std::uint64_t sum = 0;
    for (const auto& by_outcome : ended)
      sum += by_outcome[static_cast<std::size_t>(outcome)].read();
    return sum;
  }
  std::uint64_t ended_so(RequestOutcome outcome) const {
    return requests[static_cast<std::size_t>(outcome)].read();
  }
  // Attempts in flight, as far as one look at moving counters can tell.
  std::uint64_t in_flight() const {
    std::uint64_t all = 0;
    for (const auto& by_outcome : ended) {
      for (const Counter& n : by_outcome) all += n.read();
    }
    const std::uint64_t sent = attempts.read();
    return sent > all ? sent - all : 0;
  }
};

}  // namespace retrystorm::loadgen
