#include "core/number_text.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {

std::string grouped(double number) {
  const bool whole = std::abs(number - std::round(number)) < 1e-6;
  const std::string plain = fmt::format("{:.{}f}", number, whole ? 0 : 2);
  const std::size_t end = std::min(plain.find('.'), plain.size());
  std::string text;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const bool after_digit = i > 0 && plain[i - 1] != '-';
    if (i < end && after_digit && (end - i) % 3 == 0) text.push_back(',');
    text.push_back(plain[i]);
  }
  return text;
}

std::string count_text(const Count& count) {
  return count ? grouped(*count) : std::string(unknown);
}

std::string rate_text(const Count& rate) {
  if (!rate) return std::string(unknown);
  if (*rate == std::round(*rate) || *rate >= 1000) return grouped(std::round(*rate));
  return fmt::format("{:.1f}", *rate);
}

std::string fixed_text(const Count& number, int digits) {
  return number ? fmt::format("{:.{}f}", *number, digits) : std::string(unknown);
}

std::string signed_percent(const Count& share) {
  if (!share) return std::string(unknown);
  return *share == 0 ? "0" : fmt::format("{:+.2f}%", 100 * *share);
}

std::string explained(std::string_view word, std::string_view given) {
  const std::string text = printable(given, 10'000);
  constexpr std::size_t indent = 11;
  constexpr std::size_t width = 112;
  std::string result = fmt::format("{:<{}}", word, indent);
  std::size_t column = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column > indent && column + 1 + end - at > width) {
      result += fmt::format("\n{:<{}}", "", indent);
      column = indent;
    } else if (column > indent) {
      result.push_back(' ');
      ++column;
    }
    result += text.substr(at, end - at);
    column += end - at;
    at = end + 1;
  }
  result.push_back('\n');
  return result;
}

}  // namespace retrystorm
