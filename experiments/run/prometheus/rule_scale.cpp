#include "experiments/run/prometheus/rule_scale.hpp"

#include "core/error.hpp"

#include <optional>
#include <regex>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// PromQL's units, longest first, in milliseconds.
struct Unit {
  std::string_view name;
  std::uint64_t ms;
};
constexpr Unit units[] = {{"ms", 1},     {"w", 604'800'000}, {"d", 86'400'000},    {"h", 3'600'000},
                          {"m", 60'000}, {"s", 1'000},       {"y", 31'536'000'000}};

// "1h30m" in milliseconds. The text has matched `duration` below.
std::uint64_t milliseconds_of(std::string_view text) {
  std::uint64_t sum = 0, number = 0;
  while (!text.empty()) {
    if (text[0] >= '0' && text[0] <= '9') {
      number = number * 10 + static_cast<std::uint64_t>(text[0] - '0');
      text.remove_prefix(1);
      continue;
    }
    for (const Unit& unit : units) {
      if (!text.starts_with(unit.name)) continue;
      sum += number * unit.ms;
      number = 0;
      text.remove_prefix(unit.name.size());
      break;
    }
  }
  return sum;
}

constexpr const char* duration = "((?:[0-9]{1,6}(?:ms|[smhdwy]))+)";

}  // namespace

std::string scale_rules(std::string_view rules, std::uint64_t factor, std::string_view where) {
  // A range in an expression, or a key whose value is a duration.
  static const std::regex durations(
      fmt::format("\\[{0}\\]|(for|keep_firing_for|interval): *{0}(?![0-9a-z])", duration));
  std::string scaled;
  auto rest = rules.begin();
  for (std::regex_iterator<std::string_view::const_iterator>
           i(rules.begin(), rules.end(), durations),
       end;
       i != end; ++i) {
    const bool range = (*i)[1].matched;
    const auto& length = range ? (*i)[1] : (*i)[3];
    const std::uint64_t ms = milliseconds_of(length.str());
    if (ms % factor != 0) {
      throw InvalidInput(where, length.str(),
                         fmt::format("cannot be divided by {} to whole milliseconds", factor));
    }
    scaled.append(rest, length.first);
    scaled += fmt::format("{}ms", ms / factor);
    rest = length.second;
  }
  scaled.append(rest, rules.end());
  return scaled;
}

}  // namespace retrystorm
