#include "service/service_metrics.hpp"

#include "core/net/metric_families.hpp"
#include "core/reason.hpp"

#include <algorithm>

namespace retrystorm {
namespace {

double number(std::uint64_t n) {
  return static_cast<double>(n);
}

MetricLabels arrival(Disposition disposition, Reason reason) {
  return {{"disposition", std::string(name(disposition))}, {"reason", std::string(name(reason))}};
}

MetricSamples arrivals_by_end(const ServiceCounts& c) {
  MetricSamples samples = {{arrival(Disposition::completed, Reason::none), number(c.completed)}};
  for (const ReasonRow& row : reasons) {
    if (!refuses_without_admission(row)) continue;
    samples.emplace_back(arrival(Disposition::refused, row.reason), number(c.refused(row.reason)));
  }
  samples.emplace_back(arrival(Disposition::skipped, Reason::none), number(c.skipped));
  samples.emplace_back(arrival(Disposition::unfinished, Reason::none), number(c.unfinished));
  return samples;
}

}  // namespace

std::vector<prometheus::MetricFamily> service_metrics(const Scenario& scenario,
                                                      const ServiceBuckets& buckets,
                                                      const ServiceCounts& c,
                                                      const ServiceGauges& g) {
  std::vector<prometheus::MetricFamily> families = {
      counter_family("retrystorm_arrivals_total",
                     "Requests for work that have ended, by how and why.", arrivals_by_end(c)),
      counter_family("retrystorm_completed_total", "Requests whose work was done.",
                     number(c.completed)),
      counter_family("retrystorm_abandoned_seen_total",
                     "Completed requests whose client was seen gone when the reply was due.",
                     number(c.abandoned_seen)),
      counter_family(
          "retrystorm_seen_later_total",
          "Completed requests whose client had gone, as only the next use of the socket showed.",
          number(c.seen_later)),
      counter_family("retrystorm_worker_seconds_total",
                     "Worker time of completed requests, by whether the client was still there.",
                     {{{{"use", "useful"}}, number(c.useful_ns) * 1e-9},
                      {{{"use", "abandoned"}}, number(c.abandoned_ns) * 1e-9}}),
      gauge_family("retrystorm_queue_length", "Requests waiting for a worker.",
                   number(g.station.queued)),
      gauge_family("retrystorm_queue_places", "Waiting places.", number(g.station.places)),
      client_timeout_family(scenario.client.timeout),
      gauge_family("retrystorm_workers", "Workers.", number(g.station.workers)),
      gauge_family("retrystorm_workers_busy", "Workers that hold a request.",
                   number(g.station.busy)),
      gauge_family("retrystorm_connections", "Open connections.", number(c.connections)),
      counter_family("retrystorm_connections_opened_total", "Connections accepted.",
                     number(c.opened)),
      counter_family("retrystorm_connections_refused_total",
                     "Connections closed at once for want of room, by reason.",
                     {{{{"reason", "max_connections"}}, number(g.over_cap)},
                      {{{"reason", "resources"}}, number(g.turned_away)}}),
      counter_family("retrystorm_connections_timed_out_total",
                     "Connections closed because they idled or dawdled.", number(c.timed_out)),
      counter_family("retrystorm_bad_requests_total",
                     "Requests that were malformed, too large, too slow or not supported.",
                     number(c.bad_requests)),
      counter_family("retrystorm_ledger_lost_total", "Ledger rows that could not be written.",
                     number(g.ledger_lost)),
      histogram_family("retrystorm_work_seconds", "How long completed requests held a worker.",
                       buckets.work, c.work),
      histogram_family("retrystorm_queue_wait_seconds",
                       "How long completed requests waited for a worker.", buckets.latency,
                       c.queue_wait),
      histogram_family("retrystorm_sojourn_seconds",
                       "From the arrival of completed requests to the end of their work.",
                       buckets.latency, c.sojourn),
  };
  // Where the discipline has none, no number would be true, and what looks for it stays silent.
  if (const auto useful = useful_queue(scenario)) {
    const auto places = std::find_if(families.begin(), families.end(), [](const auto& family) {
      return family.name == "retrystorm_queue_places";
    });
    families.insert(
        places + 1,
        gauge_family(
            "retrystorm_useful_queue",
            "Waiting places whose occupants can still be served within the client's timeout.",
            static_cast<double>(*useful)));
  }
  return families;
}

}  // namespace retrystorm
