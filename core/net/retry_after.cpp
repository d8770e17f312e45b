#include "core/net/retry_after.hpp"

#include "core/net/http_date.hpp"

#include <algorithm>
#include <chrono>

namespace retrystorm {

void RetryAfterSaid::Text::keep(std::string_view value) {
  size = value.size() <= bytes.size() ? value.size() : 0;
  std::copy_n(value.data(), size, bytes.data());
}

std::optional<Duration> RetryAfterSaid::read() const {
  constexpr std::chrono::seconds most = std::chrono::hours(24 * 365);
  if (after_.size == 0) return std::nullopt;
  if (const auto seconds = parse_integer(after_.view())) {
    if (*seconds < 0) return std::nullopt;
    return std::chrono::seconds(std::min<std::int64_t>(*seconds, most.count()));
  }
  const auto at = parse_http_date(after_.view());
  const auto now = parse_http_date(date_.view());
  if (!at || !now) return std::nullopt;
  return std::clamp<std::chrono::seconds>(*at - *now, std::chrono::seconds(0), most);
}

}  // namespace retrystorm
