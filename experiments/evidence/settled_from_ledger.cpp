#include "experiments/evidence/settled_from_ledger.hpp"

#include <algorithm>
#include <limits>

namespace retrystorm {
namespace {

// Adds the share of each window that lies in [from, to), both from the first window's start.
void spread(std::vector<double>& means, std::int64_t window, std::int64_t from, std::int64_t to) {
  to = std::min(to, window * static_cast<std::int64_t>(means.size()));
  for (from = std::max<std::int64_t>(from, 0); from < to;) {
    const std::int64_t index = from / window;
    const std::int64_t until = std::min(to, (index + 1) * window);
    means[static_cast<std::size_t>(index)] +=
        static_cast<double>(until - from) / static_cast<double>(window);
    from = until;
  }
}

}  // namespace

WindowMeans window_means_from_ledger(Database& database, const TryKey& key,
                                     const Windows& windows) {
  WindowMeans means{std::vector<double>(windows.count), std::vector<double>(windows.count),
                    std::vector<double>(windows.count)};
  const std::int64_t window = windows.length.count();
  const std::int64_t start = nanoseconds_of(windows.start);
  constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();
  Statement requests(database,
                     "SELECT scheduled, finished, outcome = 'succeeded' AS succeeded "
                     "FROM request_ends WHERE arm = ? AND try_number = ?");
  requests.bind(key.arm, key.try_number);
  const Column scheduled = requests["scheduled"], finished = requests["finished"];
  const Column succeeded = requests["succeeded"];
  while (requests.step()) {
    const std::int64_t end = finished.optional_integer().value_or(for_ever);
    spread(means.open, window, scheduled.integer() - start, end - start);
    if (succeeded.optional_integer().value_or(0) == 0) continue;
    const auto index = static_cast<std::size_t>((end - start) / window);
    if (end >= start && index < windows.count)
      means.goodput_per_s[index] += 1 / seconds(windows.length);
  }
  Statement arrivals(database,
                     "SELECT arrived, coalesce(picked, finished, replied) AS waited_until "
                     "FROM arrivals WHERE arm = ? AND try_number = ? AND disposition <> 'refused'");
  arrivals.bind(key.arm, key.try_number);
  const Column arrived = arrivals["arrived"], until = arrivals["waited_until"];
  while (arrivals.step()) {
    spread(means.queue, window, arrived.integer() - start,
           until.optional_integer().value_or(for_ever) - start);
  }
  return means;
}

MeasuredWindow settled_window_from_ledger(Database& database, const TryKey& key,
                                          const Scenario& scenario) {
  MeasuredWindow found{settled_from(scenario), instant_at(scenario.client.duration), {}};
  const Windows windows = windows_of(scenario);
  if (auto few = too_few_windows(windows.count, least_window(scenario))) {
    found.reason = std::move(*few);
    return found;
  }
  const std::size_t earliest = earliest_settled(scenario, windows);
  const SettledStart start = settled_start(window_means_from_ledger(database, key, windows),
                                           earliest, last_rate(scenario));
  found.reason = start.reason;
  if (start.window) {
    found.from = windows.begin(*start.window);
  }
  return found;
}

}  // namespace retrystorm
