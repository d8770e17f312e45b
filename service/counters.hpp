// What one loop of the service counts while it runs, and the sum over the loops. Each loop writes
// its own; metrics, summary and tests read.
#pragma once

#include "core/net/counter.hpp"
#include "core/reason.hpp"
#include "core/scenario.hpp"

#include <cstdint>

namespace retrystorm {

// The histograms' buckets: they bracket the client's timeout and the work time, because the
// question is always which side of them a request fell on.
struct ServiceBuckets {
  explicit ServiceBuckets(const Scenario& scenario);
  BucketBounds latency;  // queue wait and sojourn
  BucketBounds work;
};

struct LoopCounters {
  Counter completed;
  ByReason<Counter> refused;
  Counter unfinished;
  Counter abandoned_seen;
  Counter seen_later;
  Counter bad_requests;  // answered 4xx or 5xx without becoming an arrival
  Counter timed_out;     // connections closed because they idled or dawdled
  Counter opened;        // connections taken over from the acceptor
  Counter closed;
  Counter useful_ns;     // worker time of completions whose client was still there
  Counter abandoned_ns;  // and of those whose client was seen gone
  BucketCounts work;     // finished - picked
  BucketCounts queue_wait;
  BucketCounts sojourn;  // finished - arrived
};

// All loops together.
struct ServiceCounts {
  std::uint64_t arrived = 0;  // those that have ended: completed + refused + skipped + unfinished
  std::uint64_t completed = 0;
  ByReason<std::uint64_t> refused_by{};
  std::uint64_t skipped = 0;
  std::uint64_t unfinished = 0;
  std::uint64_t abandoned_seen = 0;
  std::uint64_t seen_later = 0;
  std::uint64_t bad_requests = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t connections = 0;  // open now
  std::uint64_t opened = 0;
  std::uint64_t useful_ns = 0;
  std::uint64_t abandoned_ns = 0;
  BucketTotals work, queue_wait, sojourn;

  void add(const LoopCounters& loop);
  std::uint64_t refused() const;
  std::uint64_t refused(Reason reason) const {
    return refused_by[static_cast<std::size_t>(reason)];
  }
};

// The Station as it stands.
struct StationView {
  std::uint64_t queued = 0;
  std::uint64_t busy = 0;
  std::uint64_t workers = 0;
  std::uint64_t places = 0;
  std::uint64_t carry_limited = 0;
};

}  // namespace retrystorm
