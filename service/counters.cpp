#include "service/counters.hpp"

#include <numeric>

namespace retrystorm {

ServiceBuckets::ServiceBuckets(const Scenario& s)
    : latency(s.client.timeout,
              {0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10}),
      work(s.service.work,
           {0.1, 0.25, 0.5, 0.9, 0.99, 1, 1.01, 1.02, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10}) {}

std::uint64_t ServiceCounts::refused() const {
  return std::accumulate(refused_by.begin(), refused_by.end(), std::uint64_t{0});
}

void ServiceCounts::add(const LoopCounters& loop) {
  completed += loop.completed.read();
  for (std::size_t i = 0; i < refused_by.size(); ++i) refused_by[i] += loop.refused[i].read();
  unfinished += loop.unfinished.read();
  abandoned_seen += loop.abandoned_seen.read();
  seen_later += loop.seen_later.read();
  bad_requests += loop.bad_requests.read();
  timed_out += loop.timed_out.read();
  // Closed first: one that opens in between may show as open, never as less than none.
  const std::uint64_t closed = loop.closed.read();
  opened += loop.opened.read();
  connections += loop.opened.read() - closed;
  useful_ns += loop.useful_ns.read();
  abandoned_ns += loop.abandoned_ns.read();
  work.add(loop.work);
  queue_wait.add(loop.queue_wait);
  sojourn.add(loop.sojourn);
  arrived = completed + refused() + skipped + unfinished;
}

}  // namespace retrystorm
