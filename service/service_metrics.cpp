#include "service/service_metrics.hpp"

#include "core/net/metric_table.hpp"
#include "core/outcome.hpp"
#include "core/reason.hpp"

namespace retrystorm {
namespace {

using Now = ServiceNow;

template <auto Member>
constexpr auto count = counted<Now, Member>();
template <auto Member>
constexpr auto seconds_of = counted<Now, Member>(1e-9);
template <auto Member, auto Bounds>
constexpr auto durations = histogram<Now, Member>([](const Now& n) -> const BucketBounds& {
  return n.buckets.*Bounds;
});
template <auto Member>
constexpr auto station = derived<Now>(MetricKind::gauge,
                                      [](const Now& n) { return n.station.*Member; });

constexpr auto refusals = [] {
  ByReason<std::string_view> names;  // empty where a reason explains no refusal
  for (const ReasonRow& row : reasons) {
    if (refuses_without_admission(row)) names[static_cast<std::size_t>(row.reason)] = row.name;
  }
  return names;
}();

constexpr MetricLabel ended(Disposition disposition, std::string_view tally_count = {}) {
  return {"disposition", name(disposition), tally_count};
}
constexpr MetricLabel without_reason("reason", name(Reason::none));

constexpr std::string_view arrivals = "retrystorm_arrivals_total";
constexpr std::string_view worker_seconds = "retrystorm_worker_seconds_total";
constexpr std::string_view connections_refused = "retrystorm_connections_refused_total";

using C = ServiceCounts;
using S = StationView;

// In the order of the summary and of the page docs/metrics.md; and what a loop counts last is read
// first: completed before what comes with it, closed before opened.
constexpr MetricRow<Now> rows[] = {
    {.name = arrivals,
     .help = "Requests for work that have ended, by how and why.",
     .value =
         derived<Now>(MetricKind::counter, [](const Now& n) { return n.counts.completed.read(); }),
     .labels = {ended(Disposition::completed), without_reason},
     .witnesses = "arrived"},
    {.name = "retrystorm_completed_total",
     .help = "Requests whose work was done.",
     .value = count<&C::completed>,
     .witnesses = "completed",
     .json = "completed"},
    {.name = arrivals,
     .value = count<&C::refused_by>,
     .labels = {ended(Disposition::refused, "refused"), MetricLabel("reason", refusals)},
     .json = "refused"},
    {.name = arrivals,
     .value = count<&C::skipped>,
     .labels = {ended(Disposition::skipped, "skipped"), without_reason},
     .json = "skipped"},
    {.name = arrivals,
     .value = count<&C::unfinished>,
     .labels = {ended(Disposition::unfinished, "unfinished.arrivals"), without_reason},
     .json = "unfinished"},
    {.name = "retrystorm_abandoned_seen_total",
     .help = "Completed requests whose client was seen gone when the reply was due.",
     .value = count<&C::abandoned_seen>,
     .witnesses = "abandoned_seen",
     .json = "abandoned_seen"},
    {.name = "retrystorm_seen_later_total",
     .help = "Completed requests whose client had gone, as only the next use of the socket showed.",
     .value = count<&C::seen_later>,
     .witnesses = "seen_later",
     .json = "seen_later"},
    {.name = worker_seconds,
     .help = "Worker time of completed requests, by whether the client was still there.",
     .value = seconds_of<&C::useful_ns>,
     .labels = {MetricLabel("use", "useful")}},
    {.name = worker_seconds,
     .value = seconds_of<&C::abandoned_ns>,
     .labels = {MetricLabel("use", "abandoned")}},
    {.name = "retrystorm_queue_length",
     .help = "Requests waiting for a worker.",
     .value = station<&S::queued>},
    {.name = "retrystorm_queue_places", .help = "Waiting places.", .value = station<&S::places>},
    // Where the discipline has none, no number would be true, and what looks for it stays silent.
    {.name = "retrystorm_useful_queue",
     .help = "Waiting places whose occupants can still be served within the client's timeout.",
     .value =
         derived<Now>(MetricKind::gauge, [](const Now& n) { return useful_queue(n.scenario); })},
    {.name = "retrystorm_queue_longest_wait_seconds",
     .help = "How long the request that has waited longest has been waiting; 0 if none waits.",
     .value = station<&S::longest_wait>},
    client_timeout_row<Now>([](const Now& n) { return n.scenario.client.timeout; }),
    {.name = "retrystorm_workers", .help = "Workers.", .value = station<&S::workers>},
    {.name = "retrystorm_workers_busy",
     .help = "Workers that hold a request.",
     .value = station<&S::busy>},
    {.value = count<&C::closed>},
    {.name = "retrystorm_connections",
     .help = "Open connections.",
     .value = derived<Now>(MetricKind::gauge, [](const Now& n) { return n.counts.connections(); })},
    {.name = "retrystorm_connections_opened_total",
     .help = "Connections accepted.",
     .value = count<&C::opened>,
     .json = "connections"},
    {.name = connections_refused,
     .help = "Connections closed for want of room, by reason.",
     .value = count<&C::over_cap>,
     .labels = {MetricLabel("reason", "max_connections")},
     .json = "connections_over_cap"},
    {.name = "retrystorm_connections_timed_out_total",
     .help = "Connections closed because they idled or dawdled.",
     .value = count<&C::timed_out>,
     .json = "connections_timed_out"},
    {.value = count<&C::accept_errors>, .json = "accept_errors"},
    {.name = connections_refused,
     .value = count<&C::turned_away>,
     .labels = {MetricLabel("reason", "resources")},
     .json = "connections_turned_away"},
    {.name = "retrystorm_bad_requests_total",
     .help = "Requests that were malformed, too large, too slow or not supported.",
     .value = count<&C::bad_requests>,
     .json = "bad_requests"},
    {.name = "retrystorm_ledger_lost_total",
     .help = "Ledger rows that could not be written.",
     .value = derived<Now>(MetricKind::counter, [](const Now& n) { return n.ledger_lost; })},
    {.name = "retrystorm_work_seconds",
     .help = "How long completed requests held a worker.",
     .value = durations<&C::work, &ServiceBuckets::work>},
    {.name = "retrystorm_queue_wait_seconds",
     .help = "How long completed requests waited for a worker.",
     .value = durations<&C::queue_wait, &ServiceBuckets::latency>},
    {.name = "retrystorm_sojourn_seconds",
     .help = "From the arrival of completed requests to the end of their work.",
     .value = durations<&C::sojourn, &ServiceBuckets::latency>},
};
static_assert(complete<Now>(rows),
              "a count without its row, or in two; or labels that do not fit its cells");

}  // namespace

std::vector<prometheus::MetricFamily> service_metrics(const ServiceNow& now) {
  return families_of<Now>(rows, now);
}
void add_up(ServiceCounts& all, const ServiceCounts& loop) {
  add_up<Now>(rows, all, loop);
}
void put_counts(boost::json::object& summary, const ServiceCounts& counts) {
  put_counts<Now>(summary, rows, counts);
}
std::vector<MetricWitness> service_witnesses() {
  return witnesses_of<Now>(rows);
}

}  // namespace retrystorm
