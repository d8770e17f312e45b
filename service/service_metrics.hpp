// What the service tells of its counts: to Prometheus when it asks, in the summary at the end, and
// which of it is a count of a Tally. All from one table, service_metrics.cpp.
#pragma once

#include "core/net/metric_label.hpp"
#include "core/scenario.hpp"
#include "service/counters.hpp"

#include <cstdint>
#include <vector>

#include <boost/json/fwd.hpp>
#include <prometheus/metric_family.h>

namespace retrystorm {

// What a scrape sees.
struct ServiceNow {
  ServiceCounts counts;
  StationView station;
  std::uint64_t ledger_lost = 0;
  const Scenario& scenario;
  const ServiceBuckets& buckets;
};

std::vector<prometheus::MetricFamily> service_metrics(const ServiceNow& now);

// Adds one loop's counts to those of all.
void add_up(ServiceCounts& all, const ServiceCounts& loop);

// Puts the plain counts into the summary.
void put_counts(boost::json::object& summary, const ServiceCounts& counts);

// Which metrics are counts of a Tally.
std::vector<MetricWitness> service_witnesses();

}  // namespace retrystorm
