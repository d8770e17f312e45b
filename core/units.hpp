// Durations and rates as people write them: "20ms", "1.5s", "1200/s". Read exactly (decimal digits
// to integer nanoseconds, no floating point on the way) and written so that they read back equal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace retrystorm {

// A length of time.
using Duration = std::chrono::nanoseconds;

// An instant: nanoseconds since a start that the context names (a run's, or the steady clock's). A
// time point, so that two of them have a difference but no sum. No clock is read through it.
struct RunClock {};
using Instant = std::chrono::time_point<RunClock, Duration>;

// Later than anything that happens: "never".
inline constexpr Instant never = Instant::max();

// Between an instant and what files, formulas and settings hold: its distance from the start.
constexpr Instant instant_at(Duration since_the_start) {
  return Instant(since_the_start);
}
constexpr Instant instant_at(std::int64_t nanoseconds) {
  return Instant(Duration(nanoseconds));
}
constexpr Duration since_start(Instant instant) {
  return instant.time_since_epoch();
}
constexpr std::int64_t nanoseconds_of(Instant instant) {
  return instant.time_since_epoch().count();
}

// Reads a duration with its unit (ns, us, ms, s, min, h), not negative; nullopt if it is none, if
// it is finer than a nanosecond or beyond 292 years. A bare number is no duration.
std::optional<Duration> parse_duration(std::string_view text);

// The shortest exact form with one unit: "20ms", "20.25ms", "1.5s", "0ms".
std::string format_duration(Duration duration);

// Reads a rate per second: "1200", "1200/s", "0.5/s"; finite, not negative; nullopt otherwise.
std::optional<double> parse_rate(std::string_view text);

// The same in whole thousandths per second, exactly; nullopt for what is finer than that.
std::optional<std::int64_t> parse_rate_thousandths(std::string_view text);

// Reads a plain finite decimal number, whole text; nullopt otherwise.
std::optional<double> parse_number(std::string_view text);

// Reads a whole decimal number, whole text; nullopt otherwise.
std::optional<std::int64_t> parse_integer(std::string_view text);

// The shortest text that reads back as the same number; whole numbers have no fraction.
std::string format_number(double number);

// Seconds as a floating number, for reports and formulas.
constexpr double seconds(Duration duration) {
  return static_cast<double>(duration.count()) * 1e-9;
}

// Milliseconds as a floating number, for reports.
constexpr double milliseconds(Duration duration) {
  return static_cast<double>(duration.count()) * 1e-6;
}

// The nearest duration; `value` must be finite and fit.
Duration from_seconds(double value);
constexpr Duration from_milliseconds(double value) {
  return std::chrono::round<Duration>(std::chrono::duration<double, std::milli>(value));
}

}  // namespace retrystorm
