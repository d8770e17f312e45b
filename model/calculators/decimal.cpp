#include "model/calculators/decimal.hpp"

namespace retrystorm {
namespace {

// Appends the decimal digits of `text` to `value`; false if one is none or it does not fit.
bool append_digits(std::int64_t& value, std::string_view text) {
  for (const char c : text) {
    if (c < '0' || c > '9' || __builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, c - '0', &value)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::int64_t> parse_decimal(std::string_view text, int decimals) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
  if (whole.empty() || (point != std::string_view::npos && fraction.empty())) return std::nullopt;
  const auto most = static_cast<std::size_t>(decimals);
  if (fraction.size() > most) return std::nullopt;
  std::int64_t value = 0;
  if (!append_digits(value, whole) || !append_digits(value, fraction)) return std::nullopt;
  for (std::size_t i = fraction.size(); i < most; ++i) {
    if (!append_digits(value, "0")) return std::nullopt;
  }
  return value;
}

}  // namespace retrystorm
