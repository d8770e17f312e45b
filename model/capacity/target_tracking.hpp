// Target tracking, the rule of the common autoscalers: as many instances as bring the metric to its
// target, unless it is near enough.
#pragma once

#include "model/capacity/domain.hpp"

#include <cmath>
#include <cstdint>

namespace retrystorm::capacity {

// ceil(current x metric / target), or `current` where |metric/target - 1| <= `tolerance`. Source:
// Kubernetes horizontal pod autoscaler (tolerance 0.1).
inline std::int64_t desired_instances(std::int64_t current, double metric, double target,
                                      double tolerance = 0.1) {
  require_at_least("desired_instances", "current", static_cast<double>(current), 0);
  require_at_least("desired_instances", "metric", metric, 0);
  require_positive("desired_instances", "target", target);
  require_at_least("desired_instances", "tolerance", tolerance, 0);
  const double ratio = metric / target;
  if (std::abs(ratio - 1) <= tolerance) return current;
  // The slack keeps 10 x 0.7/0.1 from becoming 71.
  const double wanted = static_cast<double>(current) * ratio;
  return static_cast<std::int64_t>(std::ceil(wanted - 1e-9 * wanted));
}

}  // namespace retrystorm::capacity
