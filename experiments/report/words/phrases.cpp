#include "experiments/report/words/phrases.hpp"

#include "core/number_text.hpp"
#include "experiments/report/figure.hpp"

#include <cmath>

#include <fmt/format.h>

namespace retrystorm {

std::string rate_words(const Count& rate) {
  return figure_text(FigureKind::rate, rate) + "/s";
}

std::string share_words(double share) {
  if (share > 0 && share < 1e-4) return "under 0.01 %";
  if (share > 0 && share < 0.01) return fmt::format("{:.2f} %", 100 * share);
  // Rounded down: what is not all shall not read as all.
  if (share > 0.99 && share < 1)
    return fmt::format("{:.2f} %", std::floor(share * 1e4 + 1e-6) / 100);
  return fmt::format("{:.0f} %", 100 * share);
}

std::string count_words(std::size_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(static_cast<double>(n)), n == 1 ? one : many);
}

std::string duration_words(Duration duration) {
  std::string text = format_duration(duration);
  const std::size_t unit = text.find_first_not_of("0123456789.");
  if (unit == text.npos) return text;
  const bool micro = text.compare(unit, text.npos, "us") == 0;
  return text.substr(0, unit) + " " + (micro ? "µs" : text.substr(unit));
}

// "a, b and c".
std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += i == 0 ? "" : i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

}  // namespace retrystorm
