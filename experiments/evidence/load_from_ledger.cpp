#include "experiments/evidence/load_from_ledger.hpp"

#include "core/outcome.hpp"
#include "experiments/evidence/quantiles.hpp"
#include "experiments/evidence/try_query.hpp"

#include <algorithm>

namespace retrystorm {
namespace {

// The place of a reason; that of `none` for one that is missing or not known.
std::size_t place_of(const Column& reason) {
  if (reason.is_null()) return 0;
  const auto found = std::find(reason_names.begin(), reason_names.end(), reason.text());
  return found == reason_names.end() ? 0 : static_cast<std::size_t>(found - reason_names.begin());
}

}  // namespace

LoadOffered load_from_ledger(Database& database, const TryKey& key, const TrustLimits& limits) {
  LoadOffered load;
  Statement requests(database,
                     "SELECT outcome, reason, count(*) AS n FROM requests "
                     "WHERE arm = ? AND try_number = ? GROUP BY outcome, reason");
  requests.bind(key.arm, key.try_number);
  const Column outcome = requests["outcome"], reason = requests["reason"], n = requests["n"];
  while (requests.step()) {
    const auto count = static_cast<std::uint64_t>(n.integer());
    load.offered += count;
    const std::string ended = outcome.text();
    if (ended == name(RequestOutcome::unsent)) load.unsent[place_of(reason)] += count;
    if (ended == name(RequestOutcome::gave_up)) load.gave_up[place_of(reason)] += count;
  }
  auto lags = integers(database, key,
                       "SELECT t.sent - r.scheduled FROM requests r JOIN attempts t USING (arm, "
                       "try_number, request) WHERE r.arm = ? AND r.try_number = ? AND "
                       "t.attempt = 0");
  load.sent = lags.size();
  load.late =
      static_cast<std::uint64_t>(std::count_if(lags.begin(), lags.end(), [&](std::int64_t lag) {
        return Duration(lag) > late_from(limits);
      }));
  const Quantiles q = exact_quantiles(std::move(lags));
  load.lag_p50_ms = q.p50;
  load.lag_p99_ms = q.p99;
  load.lag_max_ms = q.max;
  return load;
}

}  // namespace retrystorm
