// What the service counts while it runs. Each loop writes counts of its own; metrics, summary and
// tests read their sum.
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

// One loop's counts, or those of all loops together. Each member has its row in
// service_metrics.cpp.
struct ServiceCounts {
  Counter completed;
  ByReason<Counter> refused_by;
  Counter skipped;
  Counter unfinished;
  Counter abandoned_seen;
  Counter seen_later;
  Counter bad_requests;   // answered 4xx or 5xx without becoming an arrival
  Counter timed_out;      // connections closed because they idled or dawdled
  Counter opened;         // connections taken over from the acceptor
  Counter closed;         // of these
  Counter over_cap;       // connections closed because there were too many
  Counter accept_errors;  // times that no descriptor or memory was left for a connection
  Counter turned_away;    // connections closed because of that
  Counter useful_ns;      // worker time of completions whose client was still there
  Counter abandoned_ns;   // and of those whose client was seen gone
  BucketCounts work;      // finished - picked
  BucketCounts queue_wait;
  BucketCounts sojourn;  // finished - arrived

  // Those that have ended: completed + refused + skipped + unfinished.
  std::uint64_t arrived() const { return completed + refused() + skipped + unfinished; }
  std::uint64_t refused() const;
  std::uint64_t refused(Reason reason) const {
    return refused_by[static_cast<std::size_t>(reason)];
  }
  // Open now.
  std::uint64_t connections() const { return opened - closed; }
};

// The Station as it stands.
struct StationView {
  std::uint64_t queued = 0;
  std::uint64_t busy = 0;
  std::uint64_t workers = 0;
  std::uint64_t places = 0;
  std::uint64_t carry_limited = 0;
  Duration longest_wait{};  // so far, of those in the queue; 0 if none is
};

}  // namespace retrystorm
