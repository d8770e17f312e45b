#include "core/settling.hpp"

#include "core/classes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr std::size_t batch = 5;          // the 5 of MSER-5
constexpr std::size_t most_values = 600;  // that a trend is sought in

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// How far a straight line through the values would rise from the first to the last.
double rise(std::span<const double> values) {
  const std::size_t half = values.size() / 2;
  return 2 * (mean_of(values.last(half)) - mean_of(values.first(half)));
}

struct Series {
  std::string_view name;
  std::span<const double> means;
  double negligible;  // a drift over the whole that no one would call one
};

}  // namespace

Duration least_window(const Scenario& s) {
  return std::max({Duration(std::chrono::milliseconds(100)), longest_timeout(s), s.service.work});
}

Windows windows_of(const Scenario& s) {
  const Instant start = last_stage_start(s);
  const Duration length = instant_at(s.client.duration) - start;
  const std::int64_t count = length / least_window(s);
  if (count == 0) return {length, 0, start};
  return {length / count, static_cast<std::size_t>(count), start};
}

std::size_t earliest_settled(const Scenario& s, const Windows& windows) {
  const Duration from = settled_from(s) - windows.start;
  const Duration up = from + windows.length - Duration(1);
  return static_cast<std::size_t>(std::max<std::int64_t>(0, up / windows.length));
}

std::optional<std::string> too_few_windows(std::size_t count, Duration least) {
  if (count >= least_windows) return std::nullopt;
  return fmt::format("{} {} of {} {} too few, {} take {}", count, count == 1 ? "window" : "windows",
                     format_duration(least), count == 1 ? "is" : "are", least_windows,
                     format_duration(least * static_cast<std::int64_t>(least_windows)));
}

std::vector<double> pooled(std::span<const double> values, std::size_t group) {
  std::vector<double> means;
  means.reserve(values.size() / group);
  for (std::size_t at = values.size() % group; at < values.size(); at += group) {
    means.push_back(mean_of(values.subspan(at, group)));
  }
  return means;
}

std::size_t end_of_opening(std::span<const double> values) {
  std::vector<double> means;  // from the start on: the opening stands there
  for (std::size_t at = 0; at + batch <= values.size(); at += batch) {
    means.push_back(mean_of(values.subspan(at, batch)));
  }
  double sum = 0;
  double squares = 0;
  std::optional<double> least;
  std::size_t best = 0;
  for (std::size_t from = means.size(); from-- > 0;) {
    // Welford, from the last on.
    const auto n = static_cast<double>(means.size() - from);
    const double delta = means[from] - (n > 1 ? sum / (n - 1) : 0);
    sum += means[from];
    squares += delta * (means[from] - sum / n);
    if (2 * from > means.size()) continue;
    const double statistic = squares / (n * n);
    // The earliest of equals, up to what rounding leaves.
    if (!least || statistic <= *least * (1 + 1e-9) + 1e-18 * sum * sum) {
      least = std::min(statistic, least.value_or(statistic));
      best = from;
    }
  }
  return best * batch;
}

int trend(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 4) return 0;  // no order of so few is rarer than 5 %
  std::int64_t s = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) s += (values[j] > values[i]) - (values[j] < values[i]);
  }
  const auto triples = [](double k) { return k * (k - 1) * (2 * k + 5); };
  double variance = triples(static_cast<double>(n));
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  for (auto at = sorted.begin(); at != sorted.end();) {
    const auto next = std::upper_bound(at, sorted.end(), *at);
    variance -= triples(static_cast<double>(next - at));
    at = next;
  }
  variance /= 18;
  if (!(variance > 0)) return 0;
  const double z = (std::abs(static_cast<double>(s)) - 1) / std::sqrt(variance);
  if (z <= 1.959964) return 0;
  return s > 0 ? 1 : -1;
}

SettledStart settled_start(const WindowMeans& means, std::size_t earliest, double offered_per_s) {
  // A hundredth of the load, or of what waits, and a single request, are no trend that matters.
  const auto waiting = [](std::span<const double> values) {
    return values.empty() ? 1.0 : std::max(1.0, 0.01 * mean_of(values));
  };
  const Series all[] = {{"goodput", means.goodput_per_s, 0.01 * offered_per_s},
                        {"the number of open requests", means.open, waiting(means.open)},
                        {"the queue", means.queue, waiting(means.queue)}};
  std::size_t start = earliest;
  for (const Series& series : all) {
    if (series.means.empty()) continue;
    start = std::max(start, end_of_opening(series.means));
  }
  for (const Series& series : all) {
    if (series.means.size() <= start) continue;
    const auto settled = series.means.subspan(start);
    const auto values = pooled(settled, (settled.size() + most_values - 1) / most_values);
    if (values.size() < 4 || std::abs(rise(values)) <= series.negligible) continue;
    if (const int way = trend(values); way != 0) {
      return {{}, fmt::format("{} still {}", series.name, way > 0 ? "rises" : "falls")};
    }
  }
  return {start, {}};
}

BatchMean batch_mean(std::span<const double> values) {
  if (values.empty()) return {};
  const std::size_t group = std::max<std::size_t>(1, values.size() / 20);
  const std::vector<double> means = pooled(values, group);
  const auto n = static_cast<double>(means.size());
  const double middle = mean_of(means);
  double squares = 0;
  for (const double m : means) squares += (m - middle) * (m - middle);
  return {mean_of(values), n > 1 ? std::sqrt(squares / (n - 1) / n) : 0};
}

bool means_agree(const BatchMean& a, const BatchMean& b, double offered_per_s, double share) {
  const double error = std::hypot(a.error, b.error);
  return std::abs(a.mean - b.mean) <= std::max(share * offered_per_s, 2 * error);
}

}  // namespace retrystorm
