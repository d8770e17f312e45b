// The generator's metrics, filled from the threads' live counts when somebody scrapes.
#pragma once

#include "loadgen/live.hpp"

#include <vector>

#include <prometheus/metric_family.h>

namespace retrystorm::loadgen {

std::vector<prometheus::MetricFamily> metrics_of(const std::vector<const LiveCounts*>& live);

}  // namespace retrystorm::loadgen
