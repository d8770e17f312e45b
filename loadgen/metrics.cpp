#include "loadgen/metrics.hpp"

#include "core/net/metric_table.hpp"

#include <array>
#include <string_view>

namespace retrystorm::loadgen {
namespace {

// What a scrape sees.
struct Now {
  LiveCounts counts;
};
using C = LiveCounts;

template <auto Member>
constexpr auto count = counted<Now, Member>();
template <auto Member, auto Bounds>
constexpr auto durations = histogram<Now, Member>([](const Now& n) -> const BucketBounds& {
  return n.counts.*Bounds;
});

// Unsent requests have rows of their own, by the kind of reason.
constexpr auto request_outcomes = [] {
  auto names = request_outcome_names;
  names[static_cast<std::size_t>(RequestOutcome::unsent)] = {};
  return names;
}();
// The Tally's counts of these outcomes, in their order; a request's success is its last attempt's.
constexpr std::array<std::string_view, request_outcome_names.size()> request_counts = {
    "succeeded", "gave_up", "", "unfinished.requests"};
constexpr std::array<std::string_view, attempt_outcome_names.size()> attempt_counts = {
    "",         "rejected",           "timed_out", "failed_status", "connect_error",
    "io_error", "unfinished.attempts"};

// In the order of the page docs/metrics.md. What a thread counts last is read first: attempts that
// ended before those that were sent.
constexpr MetricRow<Now> rows[] = {
    {.name = "retrystorm_requests_offered_total",
     .help = "Requests that users wanted, each at its scheduled instant.",
     .value = count<&C::offered>,
     .witnesses = "offered"},
    {.name = "retrystorm_requests_total",
     .help = "Requests that have ended, by how; the unsent by the kind of reason.",
     .value = count<&C::requests>,
     .labels = {MetricLabel("outcome", request_outcomes, request_counts)}},
    {.name = "retrystorm_requests_total",
     .value = count<&C::unsent>,
     .labels = {MetricLabel("outcome", name(RequestOutcome::unsent), "unsent"),
                MetricLabel("kind", unsent_kind_names)}},
    {.name = "retrystorm_attempts_total",
     .help = "Attempts that have ended, by their number (0 is the first) and how.",
     .value = count<&C::ended>,
     .labels = {MetricLabel("attempt", C::attempt_labels),
                MetricLabel("outcome", attempt_outcome_names, attempt_counts)},
     .witnesses = "attempts"},
    {.name = "retrystorm_late_reads_total",
     .help = "Replies that a stalled client took after its own deadline; they count as succeeded.",
     .value = count<&C::late_read>,
     .witnesses = "late_read"},
    {.value = count<&C::attempts>},
    {.name = "retrystorm_in_flight",
     .help = "Attempts sent and not yet ended.",
     .value = derived<Now>(MetricKind::gauge, [](const Now& n) { return n.counts.in_flight(); })},
    {.name = "retrystorm_send_lag_seconds",
     .help = "How late first attempts left, against their schedule.",
     .value = durations<&C::send_lag, &C::lag_bounds>},
    {.name = "retrystorm_request_latency_seconds",
     .help = "Latency of succeeded requests, from their scheduled instant.",
     .value = durations<&C::request_latency, &C::latency_bounds>},
    {.name = "retrystorm_attempt_latency_seconds",
     .help = "Latency of succeeded attempts, from their send.",
     .value = durations<&C::attempt_latency, &C::latency_bounds>},
    client_timeout_row<Now>([](const Now& n) { return n.counts.timeout; }),
};
constexpr std::size_t counted_bytes =
    sizeof(LiveCounts) - sizeof(C::lag_bounds) - sizeof(C::latency_bounds) - sizeof(C::timeout);
static_assert(complete<Now>(rows, counted_bytes),
              "a count without its row, or in two; or labels that do not fit its cells");

}  // namespace

void add_up(LiveCounts& all, const LiveCounts& thread) {
  add_up<Now>(rows, all, thread);
}

std::vector<prometheus::MetricFamily> metrics_of(const LiveCounts& all,
                                                 const std::vector<LiveCounts>& by_class) {
  MetricParts<Now> classes{class_label, {}};
  for (const LiveCounts& of_class : by_class) classes.parts.push_back({of_class});
  return families_of<Now>(rows, {all}, classes);
}

std::vector<MetricWitness> load_witnesses() {
  return witnesses_of<Now>(rows);
}

}  // namespace retrystorm::loadgen
