#include "loadgen/settled.hpp"

namespace retrystorm::loadgen {

SettledWindows settled_windows(const Result& result) {
  const Scenario& scenario = result.options.scenario;
  if (result.interrupted) return {0, 0, "the run did not come to its end"};
  const Windows windows = booked_windows(scenario);
  if (auto few = too_few_windows(windows.count, least_window(scenario))) return {0, 0, *few};
  if (result.seen.windows.size() != windows.count) return {0, 0, "nothing was offered"};
  WindowMeans means;
  for (const WindowCounts& window : result.seen.windows) {
    means.goodput_per_s.push_back(static_cast<double>(window.succeeded) / seconds(windows.length));
    means.open.push_back(static_cast<double>(window.open_ns) /
                         static_cast<double>(windows.length.count()));
  }
  const SettledStart start =
      settled_start(means, earliest_settled(scenario, windows), scenario.client.rate);
  if (!start.window) return {0, 0, start.reason};
  return {*start.window, windows.count, {}};
}

void answer_settled(Tally& tally, const Observed& seen, const SettledWindows& settled,
                    const Scenario& scenario) {
  tally.settled = {};
  tally.settling = {};
  tally.settling.reason = settled.reason;
  if (!settled.reason.empty()) return;
  WindowCounts sum;
  for (std::size_t i = settled.from; i < settled.to; ++i) {
    sum.offered += seen.windows[i].offered;
    sum.attempts += seen.windows[i].attempts;
    sum.succeeded += seen.windows[i].succeeded;
  }
  const Duration window = booked_windows(scenario).length;
  const auto after = [&](std::size_t windows) {
    return seconds(window * static_cast<std::int64_t>(windows));
  };
  tally.settled =
      client_rates(after(settled.to - settled.from), sum.offered, sum.succeeded, sum.attempts);
  tally.settling.from_s = after(settled.from);
  tally.settling.to_s = after(settled.to);
  tally.settling.note =
      "judged by the client's windows alone: it sees no queue, and cannot carry the service on";
}

}  // namespace retrystorm::loadgen
