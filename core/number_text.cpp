#include "core/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace retrystorm {

std::string grouped(double number, int digits) {
  std::string text = fmt::format("{:.{}f}", number, digits);
  const std::size_t first = text.front() == '-' ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t at = point; at > first + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string grouped(double number) {
  const bool whole = std::abs(number - std::round(number)) < 1e-6;
  return grouped(number, whole ? 0 : 2);
}

std::string count_text(const Count& count) {
  return count ? grouped(*count) : std::string(no_number);
}

std::string plain_rate_text(double rate) {
  const double size = std::abs(rate);
  if (rate == std::round(rate) || size >= 1000) return fmt::format("{:.0f}", rate);
  if (size >= 1) return fmt::format("{:.1f}", rate);
  std::string text = fmt::format("{:.3f}", rate);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string rate_text(const Count& rate) {
  if (!rate) return std::string(no_number);
  return std::abs(*rate) < 1000 ? plain_rate_text(*rate) : grouped(std::round(*rate), 0);
}

std::string fixed_text(const Count& number, int digits) {
  return number ? fmt::format("{:.{}f}", *number, digits) : std::string(no_number);
}

std::string share_text(const Count& share) {
  if (!share) return std::string(no_number);
  constexpr double rounding = 1e-9;  // of formulas: no run counts so many that it could be more
  std::string text = fmt::format("{:.1f} %", 100 * *share);
  if (text == "0.0 %" && *share > rounding) return "<0.1 %";
  if (text == "100.0 %" && *share < 1 - rounding) return ">99.9 %";
  return text;
}

std::string long_time_text(double seconds) {
  constexpr double minute = 60, hour = 60 * minute, day = 24 * hour, year = 365.25 * day;
  if (!(seconds <= 100 * year)) return "never";
  constexpr std::tuple<double, double, std::string_view> steps[] = {{2 * minute, 1, "s"},
                                                                    {2 * hour, minute, "min"},
                                                                    {2 * day, hour, "h"},
                                                                    {2 * year, day, "days"}};
  for (const auto& [below, unit, name] : steps) {
    if (seconds < below) return fmt::format("{:.3g} {}", seconds / unit, name);
  }
  return fmt::format("{:.3g} years", seconds / year);
}

std::string signed_percent(const Count& share) {
  if (!share) return std::string(no_number);
  return *share == 0 ? "0" : fmt::format("{:+.2f}%", 100 * *share);
}

}  // namespace retrystorm
