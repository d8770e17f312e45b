#include "model/settling/continuation.hpp"

#include <fmt/format.h>

namespace retrystorm {
namespace {

std::span<const double> part(const std::vector<double>& values, std::size_t from, std::size_t to) {
  return std::span(values).subspan(from, to - from);
}

bool agree(const Prolonged& run, const WindowMeans& means, std::size_t from, std::size_t middle,
           std::size_t to) {
  return means_agree(batch_mean(part(means.goodput_per_s, from, middle)),
                     batch_mean(part(means.goodput_per_s, middle, to)), run.offered_per_s,
                     continuation_share);
}

// Judged by windows of at least the least length: steps of a run shorter than one are put together.
SettledStart start_in(const Prolonged& run, const WindowMeans& means, std::size_t end,
                      std::size_t earliest, std::size_t group) {
  const auto first = [&](const std::vector<double>& values) {
    return pooled(part(values, end % group, end), group);
  };
  return settled_start({first(means.goodput_per_s), first(means.open), first(means.queue)},
                       (earliest + group - 1) / group, run.offered_per_s);
}

}  // namespace

Continued settle(const Prolonged& run) {
  Continued answer;
  const auto refuse = [&](std::string why) {
    if (answer.unsettled_run.empty()) answer.unsettled_run = why;
    answer.reason = std::move(why);
  };
  const std::size_t steps = std::max<std::size_t>(1, run.run.count);
  const auto group = static_cast<std::size_t>(
      run.run.count > 0 ? 1 : (run.least + run.run.length - Duration(1)) / run.run.length);
  if (run.run.count >= own_continuation_windows) {
    if (const auto means = run.windows(steps)) {
      const SettledStart start = start_in(run, *means, steps, run.earliest, 1);
      if (start.window && agree(run, *means, steps / 4, steps / 2, steps)) {
        answer.span = {*start.window, steps};
        return answer;
      }
    }
  }
  for (int doubled = 0; doubled <= most_doublings; ++doubled) {
    const std::size_t end = steps << doubled;
    if (auto few = too_few_windows(end / group, run.least)) {
      refuse(std::move(*few));
      continue;
    }
    const auto means = run.windows(2 * end);
    if (!means) {
      refuse(
          fmt::format("not settled within {}, and longer ones take more events than are "
                      "simulated for this",
                      format_duration(run.run.length * static_cast<std::int64_t>(end))));
      return answer;
    }
    const bool itself = doubled == 0;
    const std::size_t earliest = itself ? run.earliest : end / 2;
    const SettledStart start = start_in(run, *means, end, earliest, group);
    if (!start.window) {
      refuse(start.reason);
    } else if (!agree(run, *means, end / 2, end, 2 * end)) {
      refuse(fmt::format("goodput changes between {} and {}",
                         format_duration(run.run.length * static_cast<std::int64_t>(end / 2)),
                         format_duration(run.run.length * static_cast<std::int64_t>(2 * end))));
    } else {
      answer.span = {itself ? *start.window : end / 2, end};
      answer.reason.clear();
      return answer;
    }
  }
  return answer;
}

}  // namespace retrystorm
