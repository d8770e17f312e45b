#include "experiments/report/figure.hpp"

#include "core/number_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// Calls f(path, value) for every figure of a tally, in the order of report.json.
template <typename F>
void visit_figures_of(const Tally& t, F&& f) {
  const auto in = [&f](std::string_view group) {
    return [&f, group](std::string_view name, const Count& value) {
      f(fmt::format("{}.{}", group, name), value);
    };
  };
  visit_counts(t.counts, in("counts"));
  visit_rates(t.whole, in("whole"));
  visit_rates(t.settled, in("settled"));
  visit_quantiles(t.request, in("latency_ms.request"));
  visit_quantiles(t.attempt, in("latency_ms.attempt"));
  visit_quantiles(t.all, in("latency_ms.all"));
}

// Digits after the point that leave about three figures, none for a whole number.
int digits_for(double value) {
  if (value == std::round(value)) return 0;
  const double size = std::abs(value);
  return size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
}

}  // namespace

Count figure_at(const Tally& tally, std::string_view path) {
  Count found;
  visit_figures_of(tally, [&](const std::string& name, const Count& value) {
    if (name == path) found = value;
  });
  return found;
}

std::vector<std::string> figure_paths() {
  std::vector<std::string> paths;
  visit_figures_of(Tally{},
                   [&](std::string name, const Count&) { paths.push_back(std::move(name)); });
  return paths;
}

std::string figure_text(FigureKind kind, const Count& value) {
  if (!value) return std::string(no_number);
  switch (kind) {
    case FigureKind::count:
      return grouped(*value, *value == std::round(*value) ? 0 : 1);
    case FigureKind::rate:
      return grouped(*value, std::abs(*value) >= 100 ? 0 : digits_for(*value));
    case FigureKind::share:
      return share_text(value);
    case FigureKind::factor:
    case FigureKind::seconds:
      return fixed_text(value, 2);
    case FigureKind::milliseconds:
      return grouped(*value, std::abs(*value) >= 10 ? 1 : 2);
  }
  return {};
}

}  // namespace retrystorm
