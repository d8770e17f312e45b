#include "experiments/report/count_error.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace retrystorm {

std::vector<CountError> count_errors(const Counts& predicted, const Counts& measured) {
  std::map<std::string, double, std::less<>> predictions;
  visit_counts(predicted, [&](std::string_view name, const Count& count) {
    if (count) predictions[std::string(name)] = *count;
  });
  std::vector<CountError> errors;
  visit_counts(measured, [&](std::string_view name, const Count& count) {
    const auto found = predictions.find(name);
    if (!count || found == predictions.end()) return;
    const double difference = found->second - *count;
    CountError error{std::string(name), {}, {}};
    if (*count != 0) error.percent = 100 * difference / *count;
    if (measured.attempts.value_or(0) > 0)
      error.share_of_attempts = difference / *measured.attempts;
    errors.push_back(error);
  });
  return errors;
}

std::optional<CountError> worst_error(const Counts& predicted, const Counts& measured) {
  const std::vector<CountError> errors = count_errors(predicted, measured);
  const auto size = [](const CountError& e) { return std::abs(e.share_of_attempts.value_or(0)); };
  const auto worst =
      std::max_element(errors.begin(), errors.end(),
                       [&](const auto& a, const auto& b) { return size(a) < size(b); });
  if (worst == errors.end()) return std::nullopt;
  return *worst;
}

BandVerdict against_band(const Tally& predicted, const Counts& measured) {
  BandVerdict verdict;
  visit_counts(measured, [&](std::string_view name, const Count& count) {
    const auto band = predicted.spread.find(fmt::format("counts.{}", name));
    if (!count || band == predicted.spread.end()) return;
    ++verdict.judged;
    if (*count >= band->second.low && *count <= band->second.high) {
      ++verdict.within;
    } else {
      verdict.outside.push_back(fmt::format("{}: {} is not within {:.0f} to {:.0f}", name, *count,
                                            band->second.low, band->second.high));
    }
  });
  return verdict;
}

}  // namespace retrystorm
