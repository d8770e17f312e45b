#include "core/net/http_date.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr std::array<std::string_view, 7> day_names = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> month_names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

}  // namespace

HttpDate http_date(std::chrono::sys_seconds at) {
  using namespace std::chrono;
  const auto day = floor<std::chrono::days>(at);
  const year_month_day date(day);
  const hh_mm_ss time(at - day);
  HttpDate text;
  fmt::format_to_n(text.data(), text.size(), "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                   day_names[weekday(day).c_encoding()], unsigned(date.day()),
                   month_names[unsigned(date.month()) - 1], int(date.year()), time.hours().count(),
                   time.minutes().count(), time.seconds().count());
  return text;
}

std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text) {
  using namespace std::chrono;
  if (text.size() != HttpDate().size()) return std::nullopt;
  const auto number = [&](std::size_t from, std::size_t size) {
    int n = 0;
    for (const char c : text.substr(from, size)) {
      if (c < '0' || c > '9') return -1;
      n = 10 * n + (c - '0');
    }
    return n;
  };
  const auto month_name = std::find(month_names.begin(), month_names.end(), text.substr(8, 3));
  const int day_of_month = number(5, 2), at_year = number(12, 4);
  const int hour = number(17, 2), min = number(20, 2), sec = number(23, 2);
  if (day_of_month < 0 || at_year < 0 || hour < 0 || min < 0 || sec < 0) return std::nullopt;
  const year_month_day date(year(at_year), month(unsigned(month_name - month_names.begin()) + 1),
                            day(unsigned(day_of_month)));
  if (!date.ok()) return std::nullopt;
  const sys_seconds at = sys_days(date) + hours(hour) + minutes(min) + std::chrono::seconds(sec);
  // Whatever else is wrong in it, the date is not written so.
  const HttpDate again = http_date(at);
  if (std::string_view(again.data(), again.size()) != text) return std::nullopt;
  return at;
}

}  // namespace retrystorm
