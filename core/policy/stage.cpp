#include "core/policy/stage.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// Requests times thousandths times nanoseconds: the unit in which areas are whole numbers.
constexpr std::int64_t unit = 1'000'000'000'000;

// The bounds of a stage keep all products below 2^127: two lengths, a rate and a factor of two.
__extension__ using Wide = __int128;

// Twice the length times the integral of the rate up to n nanoseconds, in thousandths:
// n x (from x (2 x length - n) + to x n).
Wide scaled_area(const Stage& s, std::int64_t n) {
  const std::int64_t length = s.length.count();
  return (static_cast<Wide>(s.from) * (2 * length - n) + static_cast<Wide>(s.to) * n) * n;
}

// Where the integral of a ramp's rate reaches `area` requests, as floating point has it: from the
// smaller root of the quadratic, in the form that does not cancel.
double ramp_instant(const Stage& s, double area) {
  const auto from = static_cast<double>(s.from);
  const double slope = static_cast<double>(s.to - s.from) / static_cast<double>(s.length.count());
  const double scaled = area * static_cast<double>(unit);
  return 2 * scaled / (from + std::sqrt(std::max(0.0, from * from + 2 * slope * scaled)));
}

std::int64_t within(const Stage& s, double nanoseconds) {
  const std::int64_t last = s.length.count() - 1;
  if (!(nanoseconds > 0)) return 0;
  return nanoseconds >= static_cast<double>(last) ? last : static_cast<std::int64_t>(nanoseconds);
}

// The last nanosecond at which the integral is not above k: what floating point says, and from
// there on by comparing whole numbers.
std::int64_t exact_ramp_instant(const Stage& s, std::uint64_t k) {
  if (k == 0) return 0;
  const Wide reached = static_cast<Wide>(2 * s.length.count()) * unit * static_cast<Wide>(k);
  std::int64_t low = within(s, ramp_instant(s, static_cast<double>(k)));
  std::int64_t high = low + 1;
  std::int64_t stride = 1;
  for (; scaled_area(s, low) > reached; stride *= 2) {
    high = low;
    low = std::max<std::int64_t>(0, low - stride);
  }
  for (; high < s.length.count() && scaled_area(s, high) <= reached; stride *= 2) {
    low = high;
    high = std::min(s.length.count(), high + stride);
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (scaled_area(s, middle) <= reached ? low : high) = middle;
  }
  return low;
}

constexpr std::string_view remedy =
    "must be a rate or a ramp, a colon and a length, a name before them if it shall have one: "
    "200/s:5s, burst=800/s:3s or 200/s..1200/s:30s";

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 40 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

std::string rate_text(std::int64_t thousandths) {
  std::string text = std::to_string(thousandths / 1000);
  if (thousandths % 1000 != 0) {
    text += fmt::format(".{:03}", thousandths % 1000);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + "/s";
}

}  // namespace

std::string read_stage(Stage& stage, std::string_view text) {
  Stage read;
  if (const std::size_t equals = text.find('='); equals != text.npos) {
    read.name = text.substr(0, equals);
    if (!is_name(read.name)) {
      return "must have a name of 1 to 40 letters, digits, '-' and '_', as burst=800/s:3s";
    }
    text.remove_prefix(equals + 1);
  }
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return std::string(remedy);
  const std::string_view rates = text.substr(0, colon);
  const std::size_t dots = rates.find("..");
  const auto from = parse_rate_thousandths(rates.substr(0, dots));
  const auto to = dots == rates.npos ? from : parse_rate_thousandths(rates.substr(dots + 2));
  const auto length = parse_duration(text.substr(colon + 1));
  if (!from || !to || !length) return std::string(remedy);
  if (*from > most_stage_rate || *to > most_stage_rate) {
    return "must have rates of whole thousandths per second, from 0 to 10000000";
  }
  if (*length < std::chrono::milliseconds(1) || *length > most_stage_length) {
    return "must have a length from 1ms to 24h";
  }
  read.from = *from;
  read.to = *to;
  read.length = *length;
  stage = std::move(read);
  return {};
}

std::string text_of(const Stage& s) {
  return fmt::format("{}{}{}{}{}:{}", s.name, s.name.empty() ? "" : "=", rate_text(s.from),
                     s.from == s.to ? "" : "..", s.from == s.to ? "" : rate_text(s.to),
                     format_duration(s.length));
}

double start_rate(const Stage& s) {
  return static_cast<double>(s.from) / 1000;
}

double end_rate(const Stage& s) {
  return static_cast<double>(s.to) / 1000;
}

double mean_rate(const Stage& s) {
  return static_cast<double>(s.from + s.to) / 2000;
}

double area_of(const Stage& s) {
  return mean_rate(s) * seconds(s.length);
}

double area_until(const Stage& s, Duration since) {
  const double t = seconds(since);
  return (start_rate(s) + (end_rate(s) - start_rate(s)) * t / seconds(s.length) / 2) * t;
}

std::uint64_t requests_in(const Stage& s) {
  const Wide area = static_cast<Wide>(s.from + s.to) * s.length.count();
  constexpr Wide twice = static_cast<Wide>(2) * unit;
  return static_cast<std::uint64_t>((area + twice - 1) / twice);
}

Duration instant_in(const Stage& s, std::uint64_t k) {
  if (s.from != s.to) return Duration(exact_ramp_instant(s, k));
  return Duration(static_cast<std::int64_t>(static_cast<Wide>(k) * unit / s.from));
}

Duration instant_at_area(const Stage& s, double area) {
  if (!(area > 0)) return Duration::zero();
  if (s.from != s.to) return Duration(within(s, ramp_instant(s, area)));
  return Duration(within(s, area * static_cast<double>(unit) / static_cast<double>(s.from)));
}

double area_until(const std::vector<Stage>& stages, Duration since) {
  double area = 0;
  for (const Stage& stage : stages) {
    if (since <= stage.length) return area + area_until(stage, std::max(since, Duration::zero()));
    area += area_of(stage);
    since -= stage.length;
  }
  return area;
}

Duration length_of(const std::vector<Stage>& stages) {
  return std::accumulate(stages.begin(), stages.end(), Duration::zero(),
                         [](Duration sum, const Stage& s) { return sum + s.length; });
}

double mean_rate(const std::vector<Stage>& stages) {
  const double area = std::accumulate(stages.begin(), stages.end(), 0.0,
                                      [](double sum, const Stage& s) { return sum + area_of(s); });
  return area / seconds(length_of(stages));
}

}  // namespace retrystorm
