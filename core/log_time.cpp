#include "core/log_time.hpp"

#include "core/units.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace retrystorm {
namespace {

// Reads from the front of a text, and knows whether all was as expected.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool good() const { return good_; }
  bool done() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }

  void expect(char c) {
    good_ = good_ && peek() == c;
    if (good_) rest_.remove_prefix(1);
  }
  // So many digits.
  int digits(std::size_t count, int low, int high) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const char c = peek();
      if (!good_ || c < '0' || c > '9') {
        good_ = false;
        return 0;
      }
      value = value * 10 + (c - '0');
      rest_.remove_prefix(1);
    }
    good_ = good_ && value >= low && value <= high;
    return value;
  }
  // The number of a month's English name.
  unsigned month_name() {
    constexpr std::array<std::string_view, 12> names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto found = std::find(names.begin(), names.end(), rest_.substr(0, 3));
    good_ = good_ && found != names.end();
    if (!good_) return 0;
    rest_.remove_prefix(3);
    return static_cast<unsigned>(found - names.begin()) + 1;
  }
  // The digits of a fraction of a second, in nanoseconds.
  std::int64_t fraction() {
    std::int64_t value = 0;
    std::int64_t unit = 1'000'000'000;
    if (peek() < '0' || peek() > '9') good_ = false;
    for (; peek() >= '0' && peek() <= '9'; rest_.remove_prefix(1)) {
      unit /= 10;
      if (unit == 0 && peek() != '0') good_ = false;
      value += unit * (peek() - '0');
    }
    return value;
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

constexpr std::int64_t second = 1'000'000'000;

std::int64_t time_of_day(Reader& in) {
  const int hour = in.digits(2, 0, 23);
  in.expect(':');
  const int minute = in.digits(2, 0, 59);
  in.expect(':');
  const int of_minute = in.digits(2, 0, 60);  // a leap second
  std::int64_t ns = (static_cast<std::int64_t>(hour) * 3600 + minute * 60 + of_minute) * second;
  if (in.peek() == '.' || in.peek() == ',') {
    in.expect(in.peek());
    ns += in.fraction();
  }
  return ns;
}

// What a zone is ahead of UTC.
std::int64_t zone(Reader& in) {
  if (in.peek() == 'Z') {
    in.expect('Z');
    return 0;
  }
  const bool behind = in.peek() == '-';
  in.expect(behind ? '-' : '+');
  const int hours = in.digits(2, 0, 23);
  if (in.peek() == ':') in.expect(':');
  const int minutes = in.digits(2, 0, 59);
  const std::int64_t ahead = (static_cast<std::int64_t>(hours) * 3600 + minutes * 60) * second;
  return behind ? -ahead : ahead;
}

std::optional<std::int64_t> midnight(int year, unsigned month, int day) {
  const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok() || year < 1970 || year > 2200) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * 86'400 * second;
}

// A zone where one stands alone in the next column.
std::int64_t zone_in(std::string_view column) {
  Reader in(column);
  const std::int64_t ahead = zone(in);
  return in.good() && in.done() ? ahead : 0;
}

}  // namespace

std::optional<std::int64_t> parse_log_time(std::string_view column, std::string_view next) {
  Reader in(column);
  std::optional<std::int64_t> day;
  std::int64_t time = 0;
  std::int64_t ahead = 0;
  if (column.find('/') != column.npos) {  // 10/Oct/2026:13:55:36, the zone behind it
    const int of_month = in.digits(2, 1, 31);
    in.expect('/');
    const unsigned month = in.month_name();
    in.expect('/');
    const int year = in.digits(4, 0, 9999);
    in.expect(':');
    time = time_of_day(in);
    if (in.good()) day = midnight(year, month, of_month);
    ahead = zone_in(next);
  } else {
    const int year = in.digits(4, 0, 9999);
    in.expect('-');
    const int month = in.digits(2, 1, 12);
    in.expect('-');
    const int of_month = in.digits(2, 1, 31);
    if (in.good()) day = midnight(year, static_cast<unsigned>(month), of_month);
    if (in.good() && in.done()) {
      in = Reader(next);
    } else {
      in.expect('T');
    }
    time = time_of_day(in);
    if (in.good() && !in.done()) ahead = zone(in);
  }
  if (!in.good() || !in.done() || !day) return std::nullopt;
  return *day + time - ahead;
}

}  // namespace retrystorm
