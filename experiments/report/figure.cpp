#include "experiments/report/figure.hpp"

#include "core/number_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// Digits after the point that leave three figures or more, none for a whole number.
int digits_for(double value) {
  // A window may be a nanosecond short, and 240 requests in it are 240/s.
  if (std::abs(value - std::round(value)) < 1e-6) return 0;
  const double size = std::abs(value);
  return size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
}

}  // namespace

Count figure_at(const Tally& tally, std::string_view path) {
  const TallyFigure* figure = find_figure(path);
  return figure ? figure->in(tally) : std::nullopt;
}

std::string narrow_heading(std::string_view heading) {
  std::string text(heading.substr(0, heading.find(',')));
  const std::size_t space = text.find(" /s");
  if (space != text.npos) text.erase(space, 1);
  return text;
}

std::string path_words(std::string_view path) {
  std::string words(path);
  std::replace(words.begin(), words.end(), '_', ' ');
  std::replace(words.begin(), words.end(), '.', ' ');
  constexpr std::string_view per_second = " per s";
  if (words.ends_with(per_second))
    words.replace(words.size() - per_second.size(), per_second.size(), " /s");
  return words;
}

std::string figure_text(FigureKind kind, const Count& value) {
  if (!value) return std::string(no_number);
  switch (kind) {
    case FigureKind::count:
      return grouped(*value, *value == std::round(*value) ? 0 : 1);
    case FigureKind::rate:
      return grouped(*value, std::abs(*value) >= 1000 ? 0 : digits_for(*value));
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

std::string terminal_text(FigureKind kind, const Count& value) {
  switch (kind) {
    case FigureKind::count:
      return count_text(value);
    case FigureKind::rate:
      return rate_text(value);
    case FigureKind::share:
      return share_text(value);
    case FigureKind::milliseconds:
      return fixed_text(value, 1);
    case FigureKind::factor:
    case FigureKind::seconds:
      return fixed_text(value, 2);
  }
  return {};
}

}  // namespace retrystorm
