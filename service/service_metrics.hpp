// The service's metric families, made from its counts when Prometheus asks.
#pragma once

#include "core/scenario.hpp"
#include "service/counters.hpp"

#include <cstdint>
#include <vector>

#include <prometheus/metric_family.h>

namespace retrystorm {

// What the metrics show beside the counts.
struct ServiceGauges {
  StationView station;
  std::uint64_t over_cap = 0;
  std::uint64_t turned_away = 0;
  std::uint64_t ledger_lost = 0;
};

std::vector<prometheus::MetricFamily> service_metrics(const Scenario& scenario,
                                                      const ServiceBuckets& buckets,
                                                      const ServiceCounts& counts,
                                                      const ServiceGauges& gauges);

}  // namespace retrystorm
