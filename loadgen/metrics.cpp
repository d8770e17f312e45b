#include "loadgen/metrics.hpp"

#include "core/net/metric_families.hpp"

#include <string>

namespace retrystorm::loadgen {
namespace {

template <typename Read>
double sum(const std::vector<const LiveCounts*>& live, Read read) {
  std::uint64_t all = 0;
  for (const LiveCounts* counts : live) all += read(*counts);
  return static_cast<double>(all);
}

template <typename Read>
BucketTotals totals(const std::vector<const LiveCounts*>& live, Read read) {
  BucketTotals all;
  for (const LiveCounts* counts : live) all.add(read(*counts));
  return all;
}

}  // namespace

std::vector<prometheus::MetricFamily> metrics_of(const std::vector<const LiveCounts*>& live) {
  MetricSamples requests;
  for (std::size_t o = 0; o < request_outcome_names.size(); ++o) {
    if (o == static_cast<std::size_t>(RequestOutcome::unsent)) continue;
    requests.push_back({{{"outcome", std::string(request_outcome_names[o])}},
                        sum(live, [&](const LiveCounts& c) { return c.requests[o].read(); })});
  }
  for (std::size_t k = 0; k < unsent_kind_names.size(); ++k) {
    requests.push_back({{{"outcome", std::string(name(RequestOutcome::unsent))},
                         {"kind", std::string(unsent_kind_names[k])}},
                        sum(live, [&](const LiveCounts& c) { return c.unsent[k].read(); })});
  }
  MetricSamples attempts;
  for (std::size_t a = 0; a < LiveCounts::attempt_labels.size(); ++a) {
    for (std::size_t o = 0; o < attempt_outcome_names.size(); ++o) {
      attempts.push_back({{{"attempt", LiveCounts::attempt_labels[a]},
                           {"outcome", std::string(attempt_outcome_names[o])}},
                          sum(live, [&](const LiveCounts& c) { return c.ended[a][o].read(); })});
    }
  }
  std::vector<prometheus::MetricFamily> families;
  families.push_back(
      counter_family("retrystorm_requests_offered_total",
                     "Requests that users wanted, each at its scheduled instant.",
                     sum(live, [](const LiveCounts& c) { return c.offered.read(); })));
  families.push_back(counter_family(
      "retrystorm_requests_total",
      "Requests that have ended, by how; the unsent by the kind of reason.", std::move(requests)));
  families.push_back(counter_family(
      "retrystorm_attempts_total",
      "Attempts that have ended, by their number (0 is the first) and how.", std::move(attempts)));
  families.push_back(counter_family(
      "retrystorm_late_reads_total",
      "Replies that a stalled client took after its own deadline; they count as succeeded.",
      sum(live, [](const LiveCounts& c) { return c.late_read.read(); })));
  families.push_back(gauge_family("retrystorm_in_flight", "Attempts sent and not yet ended.",
                                  sum(live, [](const LiveCounts& c) { return c.in_flight(); })));
  if (live.empty()) return families;
  families.push_back(histogram_family(
      "retrystorm_send_lag_seconds", "How late first attempts left, against their schedule.",
      live[0]->lag_bounds,
      totals(live, [](const LiveCounts& c) -> const BucketCounts& { return c.send_lag; })));
  families.push_back(histogram_family(
      "retrystorm_request_latency_seconds",
      "Latency of succeeded requests, from their scheduled instant.", live[0]->latency_bounds,
      totals(live, [](const LiveCounts& c) -> const BucketCounts& { return c.request_latency; })));
  families.push_back(histogram_family(
      "retrystorm_attempt_latency_seconds", "Latency of succeeded attempts, from their send.",
      live[0]->latency_bounds,
      totals(live, [](const LiveCounts& c) -> const BucketCounts& { return c.attempt_latency; })));
  families.push_back(client_timeout_family(live[0]->timeout));
  return families;
}

}  // namespace retrystorm::loadgen
