#include "experiments/report_phrases.hpp"

#include "experiments/number_text.hpp"
#include "experiments/report_figure.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace retrystorm {

std::string rate_words(const Count& rate) {
  return figure_text(FigureKind::rate, rate) + "/s";
}

std::string share_words(double share) {
  const bool small = share > 0 && share < 0.01;
  return small ? fmt::format("{:.2f} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

std::string count_words(std::size_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(static_cast<double>(n)), n == 1 ? one : many);
}

std::string duration_words(Duration duration) {
  std::string text = format_duration(duration);
  const std::size_t unit = text.find_first_not_of("0123456789.");
  if (unit == text.npos) return text;
  const bool micro = text.compare(unit, text.npos, "us") == 0;
  return text.substr(0, unit) + " " + (micro ? "µs" : text.substr(unit));
}

// "a, b and c".
std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += i == 0 ? "" : i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

// The rates that tell how it went in the end: the settled ones, if that window was seen.
const Rates& telling(const Tally& tally) {
  return tally.settled.goodput_per_s && tally.settled.offered_per_s.value_or(0) > 0 ? tally.settled
                                                                                    : tally.whole;
}

std::vector<const ArmReport*> arms_with(const Report& report, Course course) {
  std::vector<const ArmReport*> arms;
  for (const ArmReport& arm : report.arms) {
    if (course_of(arm) == course) arms.push_back(&arm);
  }
  return arms;
}

// The one to tell of: fewest retries, then the lowest load; trusted ones first.
const ArmReport* plainest(const std::vector<const ArmReport*>& arms) {
  const auto key = [](const ArmReport* a) {
    return std::tuple(!a->trusted, a->scenario.client.retries, a->scenario.client.rate);
  };
  const auto found =
      std::min_element(arms.begin(), arms.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
  return found == arms.end() ? nullptr : *found;
}

std::string names_of(const std::vector<const ArmReport*>& arms) {
  std::vector<std::string> names;
  for (const ArmReport* arm : arms) names.push_back("“" + arm->name + "”");
  return listed(names);
}

}  // namespace retrystorm
