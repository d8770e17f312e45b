#include "loadgen/result.hpp"

#include "core/reason.hpp"
#include "core/share.hpp"

#include <fmt/format.h>

namespace retrystorm::loadgen {
namespace {

double number(std::uint64_t count) {
  return static_cast<double>(count);
}

// What only the service can answer is empty, not zero.
Rates client_rates(Duration window, double offered, double succeeded, double attempts) {
  Rates rates = make_rates(seconds(window), offered, succeeded, 0, attempts, std::nullopt);
  rates.throughput_per_s.reset();
  rates.abandoned_share.reset();
  return rates;
}

// "1200 in_flight_cap, 3 ports".
std::string list_shortages(const ReasonCounts& by_reason) {
  std::string text;
  for (std::size_t i = 0; i < by_reason.size(); ++i) {
    if (by_reason[i] == 0 || unsent_kind(reasons[i].reason) != UnsentKind::shortage) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", by_reason[i], reason_names[i]);
  }
  return text;
}

// By the client's own policy: part of the load that was asked for.
std::uint64_t kept_back(const Observed& seen) {
  std::uint64_t all = 0;
  for (const ReasonRow& row : reasons) {
    if (unsent_kind(row.reason) == UnsentKind::policy) {
      all += seen.unsent[static_cast<std::size_t>(row.reason)];
    }
  }
  return all;
}

// Of what was seen in the windows of the run.
Tally tally_of(const Observed& seen, const Result& result) {
  Tally tally;
  tally.engine = "testbed";
  Counts& c = tally.counts;
  c.offered = number(seen.offered);
  c.succeeded = number(seen.of(RequestOutcome::succeeded));
  c.gave_up = number(seen.of(RequestOutcome::gave_up));
  c.unsent = number(seen.of(RequestOutcome::unsent));
  c.unfinished_requests = number(seen.of(RequestOutcome::unfinished));
  c.attempts = number(seen.attempts);
  c.rejected = number(seen.of(AttemptOutcome::rejected));
  c.timed_out = number(seen.of(AttemptOutcome::timed_out));
  c.failed_status = number(seen.of(AttemptOutcome::failed_status));
  c.connect_error = number(seen.of(AttemptOutcome::connect_error));
  c.io_error = number(seen.of(AttemptOutcome::io_error));
  c.unfinished_attempts = number(seen.of(AttemptOutcome::unfinished));
  c.late_read = number(seen.late_read);
  tally.whole =
      client_rates(since_start(result.seen.last_outcome), *c.offered, *c.succeeded, *c.attempts);
  tally.settled = client_rates(result.settled_for, number(seen.settled.offered),
                               number(seen.settled.succeeded), number(seen.settled.attempts));
  // One side alone cannot judge it: that takes the queue, and a simulation carried on.
  tally.settling.note = "the part from settle on: whether it has settled is not judged here";
  tally.request = seen.request.quantiles();
  tally.attempt = seen.attempt.quantiles();
  tally.all = seen.all.quantiles();
  return tally;
}

}  // namespace

Tally tally_of(const Result& result) {
  Tally tally = tally_of(result.seen, result);
  for (const Observed& seen : result.classes) tally.classes.push_back(tally_of(seen, result));
  return tally;
}

std::vector<std::string> limited_by(const Result& result, const TrustLimits& limits) {
  const Observed& seen = result.seen;
  std::vector<std::string> reasons;
  if (!result.failure.empty()) reasons.push_back(result.failure);
  const std::uint64_t sent = seen.lag.count();
  if (!reaches(static_cast<std::int64_t>(sent + kept_back(seen)),
               static_cast<std::int64_t>(seen.offered), ppm - to_ppm(limits.rate_error))) {
    reasons.push_back(fmt::format("sent {} of {} requests ({:.1f} %); unsent: {}", sent,
                                  seen.offered, 100 * number(sent) / number(seen.offered),
                                  list_shortages(seen.unsent)));
  }
  if (sent == 0) return reasons;
  const Duration p99 = seen.lag.quantile(0.99);
  const Duration most_p99 = from_milliseconds(limits.send_lag_p99_ms);
  if (p99 > most_p99) {
    reasons.push_back(fmt::format("send lag p99 is {:.3f} ms, over {}", milliseconds(p99),
                                  format_duration(most_p99)));
  }
  const Duration max = seen.lag.quantile(1);
  const Duration most = from_milliseconds(limits.send_lag_max_ms);
  if (max > most) {
    reasons.push_back(fmt::format("send lag max is {:.1f} ms, over {}", milliseconds(max),
                                  format_duration(most)));
  }
  return reasons;
}

std::vector<std::string> failed_thresholds(const Result& result) {
  const Observed& seen = result.seen;
  const auto succeeded = static_cast<std::int64_t>(seen.of(RequestOutcome::succeeded));
  const auto offered = static_cast<std::int64_t>(seen.offered);
  const LoadOptions& options = result.options;
  if (!options.min_goodput_ppm && !options.allow_failure && offered > 0 && succeeded == 0) {
    return {
        fmt::format("not one of {} requests succeeded (--allow-failure lets that pass)", offered)};
  }
  const std::int64_t least = options.min_goodput_ppm.value_or(0);
  if (reaches(succeeded, offered, least)) return {};
  return {fmt::format("{} of {} requests succeeded ({} %), below {} %", succeeded, offered,
                      percent_text(ppm_of(succeeded, offered)), percent_text(least))};
}

std::vector<std::string> warnings_of(const Result& result) {
  const Observed& seen = result.seen;
  std::vector<std::string> warnings = result.warnings;
  constexpr std::uint64_t repeatedly = 3;
  if (seen.slow_connects >= repeatedly) {
    warnings.push_back(fmt::format(
        "{} of {} connect() calls took over {:g} ms (longest {:.1f} ms): local ports may be "
        "running out (try --abandon rst), or the machine is busy",
        seen.slow_connects, seen.connect_call.count(), milliseconds(slow_connect_from),
        milliseconds(seen.connect_call.quantile(1))));
  }
  const double cores = seconds(result.wall) * result.threads;
  // Beyond it the next hiccup is lag.
  const double most = TrustLimits{}.cpu_share * cores;
  if (result.options.spin == Duration::zero() && seconds(result.cpu) > most) {
    warnings.push_back(fmt::format("the generator used {:.0f} % of its {} core{}",
                                   100 * seconds(result.cpu) / cores, result.threads,
                                   result.threads == 1 ? "" : "s"));
  }
  if (result.ledger_lost > 0) {
    warnings.push_back(
        fmt::format("{} ledger records were lost: {}", result.ledger_lost, result.ledger_error));
  }
  return warnings;
}

}  // namespace retrystorm::loadgen
