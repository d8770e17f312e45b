#include "loadgen/result.hpp"

#include "core/load_offered.hpp"
#include "core/share.hpp"
#include "loadgen/settled.hpp"

#include <fmt/format.h>

namespace retrystorm::loadgen {
namespace {

double number(std::uint64_t count) {
  return static_cast<double>(count);
}

// What only the service knows is left open.
Rates of_client(Rates rates) {
  rates.throughput_per_s.reset();
  rates.abandoned_share.reset();
  return rates;
}

// Of what was seen in the windows of the run.
Tally tally_of(const Observed& seen, const Result& result, const SettledWindows& settled) {
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
  tally.whole = client_rates(seconds(since_start(result.seen.last_outcome)), seen.offered,
                             seen.of(RequestOutcome::succeeded), seen.attempts);
  tally.stages = seen.stages.rates();
  for (StageRates& stage : tally.stages) {
    stage.whole = of_client(stage.whole);
    stage.later = of_client(stage.later);
  }
  answer_settled(tally, seen, settled, result.options.scenario);
  tally.request = seen.request.quantiles();
  tally.attempt = seen.attempt.quantiles();
  tally.all = seen.all.quantiles();
  return tally;
}

}  // namespace

Rates client_rates(double window_s, std::uint64_t offered, std::uint64_t succeeded,
                   std::uint64_t attempts) {
  return of_client(
      make_rates(window_s, number(offered), number(succeeded), 0, number(attempts), std::nullopt));
}

Tally tally_of(const Result& result) {
  const SettledWindows settled = settled_windows(result);
  Tally tally = tally_of(result.seen, result, settled);
  for (const Observed& seen : result.classes) {
    tally.classes.push_back(tally_of(seen, result, settled));
  }
  return tally;
}

std::vector<std::string> limited_by(const Result& result) {
  const Observed& seen = result.seen;
  LoadOffered load;
  load.offered = seen.offered;
  load.sent = seen.lag.count();
  load.late = seen.late;
  const Quantiles lag = seen.lag.quantiles();
  load.lag_p99_ms = lag.p99;
  load.lag_max_ms = lag.max;
  load.unsent = seen.unsent;
  load.gave_up = seen.gave_up;
  std::vector<std::string> broken = broken_load_limits(load, result.options.limits);
  if (!result.failure.empty()) broken.insert(broken.begin(), result.failure);
  return broken;
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
  const double most = result.options.limits.cpu_share * cores;
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
