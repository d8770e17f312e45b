#include "core/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace retrystorm {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

constexpr std::array units = {
    Unit{"h", 3'600'000'000'000}, Unit{"min", 60'000'000'000}, Unit{"s", 1'000'000'000},
    Unit{"ms", 1'000'000},        Unit{"us", 1'000},           Unit{"ns", 1},
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// One decimal number without sign or exponent, times `scale`, exactly; nullopt if not whole or too
// big.
std::optional<std::int64_t> scaled(std::string_view number, std::int64_t scale) {
  const std::size_t point = number.find('.');
  const std::string_view whole = number.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view{} : number.substr(point + 1);
  if (whole.empty() || (point != std::string_view::npos && fraction.empty())) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : whole) {
    if (!is_digit(c) || __builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, c - '0', &value)) {
      return std::nullopt;
    }
  }
  if (__builtin_mul_overflow(value, scale, &value)) return std::nullopt;
  for (const char c : fraction) {
    if (!is_digit(c)) return std::nullopt;
    if (c == '0') {
      scale = scale % 10 == 0 ? scale / 10 : 0;
      continue;
    }
    if (scale % 10 != 0 || scale == 0) return std::nullopt;  // finer than one
    scale /= 10;
    if (__builtin_add_overflow(value, (c - '0') * scale, &value)) return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && (is_digit(text[length]) || text[length] == '.')) ++length;
  const std::string_view name = text.substr(length);
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    const auto value = scaled(text.substr(0, length), unit.nanoseconds);
    if (!value || *value == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return Duration(*value);
  }
  return std::nullopt;
}

std::string format_duration(Duration duration) {
  const std::int64_t count = duration.count();
  if (count < 0) return fmt::format("-{}", format_duration(Duration(-count)));
  const Unit& unit = count >= 1'000'000'000 ? units[2]
                     : count >= 1'000'000   ? units[3]
                     : count == 0           ? units[3]
                     : count >= 1'000       ? units[4]
                                            : units[5];
  std::string text = fmt::format("{}", count / unit.nanoseconds);
  std::int64_t rest = count % unit.nanoseconds;
  if (rest != 0) {
    text += '.';
    for (std::int64_t scale = unit.nanoseconds / 10; rest != 0; scale /= 10) {
      text += static_cast<char>('0' + rest / scale);
      rest %= scale;
    }
  }
  return text + std::string(unit.name);
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_rate(std::string_view text) {
  constexpr std::string_view per_second = "/s";
  if (text.ends_with(per_second)) text.remove_suffix(per_second.size());
  const auto value = parse_number(text);
  if (!value || *value < 0) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_rate_thousandths(std::string_view text) {
  constexpr std::string_view per_second = "/s";
  if (text.ends_with(per_second)) text.remove_suffix(per_second.size());
  return scaled(text, 1000);
}

std::string format_number(double number) {
  if (std::abs(number) < 1e15 && number == std::floor(number)) {
    return fmt::format("{}", static_cast<std::int64_t>(number));
  }
  return fmt::format("{}", number);
}

Duration from_seconds(double value) {
  return Duration(std::llround(value * 1e9));
}

}  // namespace retrystorm
