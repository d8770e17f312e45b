#include "core/number_text.hpp"

#include <algorithm>
#include <cmath>

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

std::string rate_text(const Count& rate) {
  if (!rate) return std::string(no_number);
  if (*rate == std::round(*rate) || *rate >= 1000) return grouped(std::round(*rate), 0);
  return fmt::format("{:.1f}", *rate);
}

std::string fixed_text(const Count& number, int digits) {
  return number ? fmt::format("{:.{}f}", *number, digits) : std::string(no_number);
}

std::string share_text(const Count& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : std::string(no_number);
}

std::string signed_percent(const Count& share) {
  if (!share) return std::string(no_number);
  return *share == 0 ? "0" : fmt::format("{:+.2f}%", 100 * *share);
}

}  // namespace retrystorm
