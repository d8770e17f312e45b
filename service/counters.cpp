#include "service/counters.hpp"

namespace retrystorm {

ServiceBuckets::ServiceBuckets(const Scenario& s)
    : latency(s.client.timeout,
              {0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10}),
      work(s.service.work,
           {0.1, 0.25, 0.5, 0.9, 0.99, 1, 1.01, 1.02, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10}) {}

std::uint64_t ServiceCounts::refused() const {
  std::uint64_t all = 0;
  for (const Counter& n : refused_by) all += n;
  return all;
}

}  // namespace retrystorm
