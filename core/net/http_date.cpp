#include "core/net/http_date.hpp"

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

}  // namespace retrystorm
