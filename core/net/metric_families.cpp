#include "core/net/metric_families.hpp"

#include <limits>

namespace retrystorm {
namespace {

prometheus::MetricFamily family(std::string name, std::string help, prometheus::MetricType type) {
  prometheus::MetricFamily family;
  family.name = std::move(name);
  family.help = std::move(help);
  family.type = type;
  return family;
}

}  // namespace

prometheus::MetricFamily counter_family(std::string name, std::string help, MetricSamples samples) {
  auto all = family(std::move(name), std::move(help), prometheus::MetricType::Counter);
  for (auto& [labels, value] : samples) {
    prometheus::ClientMetric metric;
    for (auto& [label, text] : labels) metric.label.push_back({label, text});
    metric.counter.value = value;
    all.metric.push_back(std::move(metric));
  }
  return all;
}

prometheus::MetricFamily counter_family(std::string name, std::string help, double value) {
  return counter_family(std::move(name), std::move(help), MetricSamples{{{}, value}});
}

prometheus::MetricFamily gauge_family(std::string name, std::string help, double value) {
  auto one = family(std::move(name), std::move(help), prometheus::MetricType::Gauge);
  prometheus::ClientMetric metric;
  metric.gauge.value = value;
  one.metric.push_back(std::move(metric));
  return one;
}

prometheus::MetricFamily histogram_family(std::string name, std::string help,
                                          const BucketBounds& bounds, const BucketTotals& totals) {
  auto one = family(std::move(name), std::move(help), prometheus::MetricType::Histogram);
  prometheus::ClientMetric metric;
  std::uint64_t up_to = 0;
  for (std::size_t b = 0; b <= bounds.bounds().size(); ++b) {
    up_to += totals.counts[b];
    const double bound = b < bounds.bounds().size() ? seconds(bounds.bounds()[b])
                                                    : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({up_to, bound});
  }
  metric.histogram.sample_count = up_to;
  metric.histogram.sample_sum = static_cast<double>(totals.sum) * 1e-9;
  one.metric.push_back(std::move(metric));
  return one;
}

prometheus::MetricFamily client_timeout_family(Duration timeout) {
  return gauge_family("retrystorm_client_timeout_seconds",
                      "How long a client waits for the answer to an attempt.", seconds(timeout));
}

}  // namespace retrystorm
