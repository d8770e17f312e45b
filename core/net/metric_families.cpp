#include "core/net/metric_families.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace retrystorm {

prometheus::MetricFamily& MetricFamilies::family(std::string_view name, std::string_view help,
                                                 MetricKind kind) {
  const auto found = std::find_if(families_.begin(), families_.end(),
                                  [&](const auto& family) { return family.name == name; });
  if (found != families_.end()) return *found;
  prometheus::MetricFamily& family = families_.emplace_back();
  family.name = name;
  family.help = help;
  family.type = kind == MetricKind::counter ? prometheus::MetricType::Counter
                : kind == MetricKind::gauge ? prometheus::MetricType::Gauge
                                            : prometheus::MetricType::Histogram;
  return family;
}

void MetricFamilies::sample(std::string_view name, std::string_view help, MetricKind kind,
                            std::span<const MetricLabel> labels, std::size_t combination,
                            double value, const MoreLabel& more) {
  prometheus::ClientMetric metric;
  std::size_t left = combinations(labels);
  for (const MetricLabel& label : labels) {
    if (label.name.empty()) continue;
    left /= label.size();
    const std::string_view text = label.value(combination / left % label.size());
    if (text.empty()) return;
    metric.label.push_back({std::string(label.name), std::string(text)});
  }
  if (!more.name.empty()) metric.label.push_back({std::string(more.name), more.value});
  (kind == MetricKind::counter ? metric.counter.value : metric.gauge.value) = value;
  family(name, help, kind).metric.push_back(std::move(metric));
}

void MetricFamilies::histogram(std::string_view name, std::string_view help,
                               const BucketBounds& bounds, const BucketCounts& counts,
                               const MoreLabel& more) {
  prometheus::ClientMetric metric;
  if (!more.name.empty()) metric.label.push_back({std::string(more.name), more.value});
  std::uint64_t up_to = 0;
  for (std::size_t b = 0; b <= bounds.bounds().size(); ++b) {
    up_to += counts.count(b);
    const double bound = b < bounds.bounds().size() ? seconds(bounds.bounds()[b])
                                                    : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({up_to, bound});
  }
  metric.histogram.sample_count = up_to;
  metric.histogram.sample_sum = static_cast<double>(counts.sum()) * 1e-9;
  family(name, help, MetricKind::histogram).metric.push_back(std::move(metric));
}

}  // namespace retrystorm
