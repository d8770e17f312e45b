// Metric families for MetricsEndpoint, built when somebody scrapes: from plain numbers, without a
// registry.
#pragma once

#include "core/net/counter.hpp"

#include <string>
#include <utility>
#include <vector>

#include <prometheus/metric_family.h>

namespace retrystorm {

// Label names and values of one sample.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;
using MetricSamples = std::vector<std::pair<MetricLabels, double>>;

prometheus::MetricFamily counter_family(std::string name, std::string help, MetricSamples samples);
prometheus::MetricFamily counter_family(std::string name, std::string help, double value);
prometheus::MetricFamily gauge_family(std::string name, std::string help, double value);
// In seconds.
prometheus::MetricFamily histogram_family(std::string name, std::string help,
                                          const BucketBounds& bounds, const BucketTotals& totals);

// The timeout that histograms' buckets stand around: the generator's own, or the one that the
// service was told of. One name on both sides.
prometheus::MetricFamily client_timeout_family(Duration timeout);

}  // namespace retrystorm
