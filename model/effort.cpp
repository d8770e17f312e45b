#include "model/effort.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// Between two looks: a hundredth of a second, a tenth in a build ten times as slow.
constexpr double look_every_ns = 1e7;
// Beyond so many times the most, an estimate was not plain but wrong.
constexpr double most_overrun = 2;

std::string seconds_text(double s) {
  if (s >= 1e7) return fmt::format("{:.0f} years", std::max(1.0, s / (365.25 * 86400)));
  if (s >= 7200) return fmt::format("{:.0f} h", s / 3600);
  return s >= 10 ? fmt::format("{:.0f} s", s) : fmt::format("{:.2g} s", s);
}

std::string bytes_text(double bytes) {
  if (bytes >= 1e12) return fmt::format("{:.0f} TB", bytes / 1e12);
  if (bytes >= 1e10) return fmt::format("{:.0f} GB", bytes / 1e9);
  return fmt::format("{:.0f} MB", std::max(1.0, bytes / 1e6));
}

}  // namespace

Cost operator+(const Cost& a, const Cost& b) {
  return {a.seconds + b.seconds, std::max(a.bytes, b.bytes)};
}

Cost operator*(double times, const Cost& cost) {
  return {times * cost.seconds, cost.bytes};
}

std::string cost_text(const Cost& cost) {
  return fmt::format("about {} and {}", seconds_text(cost.seconds), bytes_text(cost.bytes));
}

Effort any_effort(const Stop& stop) {
  constexpr double no_end = std::numeric_limits<double>::infinity();
  return {{no_end, no_end}, stop};
}

void require_affordable(std::string_view who, const Cost& cost, const Effort& effort) {
  if (cost.seconds <= effort.most.seconds && cost.bytes <= effort.most.bytes) return;
  throw InvalidInput(
      who, "",
      fmt::format("would take {}, and may take {} and {}; --allow-slow lets it", cost_text(cost),
                  seconds_text(effort.most.seconds), bytes_text(effort.most.bytes)));
}

void Meter::look() {
  look_at_ns_ = spent_ns_ + look_every_ns;
  if (effort_.stop.asked()) throw Interrupted();
  if (seconds() > most_overrun * effort_.most.seconds) {
    throw InvalidInput(who_, "",
                       fmt::format("has done the work of {} without an end, and may take {}; "
                                   "--allow-slow lets it",
                                   seconds_text(seconds()), seconds_text(effort_.most.seconds)));
  }
}

}  // namespace retrystorm
