// Whether a run has settled, and from when on, judged by the means of its windows alone: what was
// counted and how it goes on is for others to say. A plateau before a fall passes all of this; a
// simulation therefore also asks its own continuation (model/settling/).
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace retrystorm {

inline constexpr std::size_t least_windows = 30;  // of a run, to judge it at all
// So many windows and more: the first half of a run is held against its second.
inline constexpr std::size_t own_continuation_windows = 600;

// The windows of a run, or of its last stage: `count` of `length` each from `start` on, as many as
// are at least max(100 ms, timeout, work) long; none in a stretch that is shorter than one.
struct Windows {
  Duration length{};
  std::size_t count = 0;
  Instant start{};

  // Where the window of that number begins.
  Instant begin(std::size_t window) const {
    return start + length * static_cast<std::int64_t>(window);
  }
};
Duration least_window(const Scenario& scenario);
Windows windows_of(const Scenario& scenario);

// The first window that begins at `settle` or later: where the settled window may begin earliest.
std::size_t earliest_settled(const Scenario& scenario, const Windows& windows);

// "24 windows of 250ms are too few, 30 take 7.5s"; nothing for enough of them.
std::optional<std::string> too_few_windows(std::size_t count, Duration least);

// The mean of each window over its time; `queue` is empty where nobody saw it.
struct WindowMeans {
  std::vector<double> goodput_per_s, open, queue;
};

// MSER-5 (White, Cobb and Spratt 2000): the first value after the opening, a multiple of 5 in the
// first half. An opening that lasts longer shows as a trend of what is left.
std::size_t end_of_opening(std::span<const double> means);

// Mann (1945) and Kendall (1975), ties counted, two-sided at 95 %: -1 falls, +1 rises, 0 neither.
// Takes time in the square of the number of values.
int trend(std::span<const double> means);

// Means of `group` values in a row; what is left over at the start is left out.
std::vector<double> pooled(std::span<const double> values, std::size_t group);

// The first window of the settled part, not before `earliest`, or why there is none.
struct SettledStart {
  std::optional<std::size_t> window;
  std::string reason;
};
SettledStart settled_start(const WindowMeans& means, std::size_t earliest, double offered_per_s);

// A mean and its standard error by the means of up to 20 batches (Conway 1963).
struct BatchMean {
  double mean = 0;
  double error = 0;
};
BatchMean batch_mean(std::span<const double> values);

// True if the two means differ by no more than `share` of the offered rate, or by no more than two
// standard errors of their difference.
bool means_agree(const BatchMean& a, const BatchMean& b, double offered_per_s, double share);

}  // namespace retrystorm
