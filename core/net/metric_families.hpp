// Metric families for MetricsEndpoint, built when somebody scrapes: from plain numbers, without a
// registry.
#pragma once

#include "core/net/counter.hpp"
#include "core/net/metric_label.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <prometheus/metric_family.h>

namespace retrystorm {

// A label that a sample has besides; no name: none.
struct MoreLabel {
  std::string_view name{};
  std::string value{};
};

class MetricFamilies {
 public:
  // One more sample of a counter or gauge: the one with the labels' combination of that number, the
  // last label's value changing first. A combination with an empty value is passed over.
  void sample(std::string_view name, std::string_view help, MetricKind kind,
              std::span<const MetricLabel> labels, std::size_t combination, double value,
              const MoreLabel& more = {});
  // In seconds.
  void histogram(std::string_view name, std::string_view help, const BucketBounds& bounds,
                 const BucketCounts& counts, const MoreLabel& more = {});

  // In the order in which their names came first.
  std::vector<prometheus::MetricFamily> all() && { return std::move(families_); }

 private:
  prometheus::MetricFamily& family(std::string_view name, std::string_view help, MetricKind kind);

  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace retrystorm
