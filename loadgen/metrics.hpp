// What the generator's live counts tell: to Prometheus when it asks, on the progress line, and
// which of it is a count of a Tally. All from one table, metrics.cpp.
#pragma once

#include "core/net/metric_label.hpp"
#include "loadgen/live.hpp"

#include <string_view>
#include <vector>

#include <prometheus/metric_family.h>

namespace retrystorm::loadgen {

// Adds one thread's counts to those of all.
void add_up(LiveCounts& all, const LiveCounts& thread);

// What the generator is known by to Prometheus where it has several classes of clients.
inline constexpr std::string_view class_label = "class";

// With several classes each has its samples, told apart by class_label; their sum is the whole.
std::vector<prometheus::MetricFamily> metrics_of(const LiveCounts& all,
                                                 const std::vector<LiveCounts>& by_class = {});

// Which metrics are counts of a Tally.
std::vector<MetricWitness> load_witnesses();

}  // namespace retrystorm::loadgen
