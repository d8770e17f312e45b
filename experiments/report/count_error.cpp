#include "experiments/report/count_error.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {

std::optional<CountError> count_error(std::string_view count, const Counts& predicted,
                                      const Counts& measured) {
  const auto named = [&](const Counts& counts) {
    const auto row = std::find_if(count_figures.begin(), count_figures.end(),
                                  [&](const auto& r) { return r.name == count; });
    return row == count_figures.end() ? std::nullopt : counts.*row->member;
  };
  const Count p = named(predicted);
  const Count m = named(measured);
  if (!p || !m) return std::nullopt;
  CountError error{std::string(count), {}, {}};
  if (*m != 0) error.percent = 100 * (*p - *m) / *m;
  const double attempts = measured.attempts.value_or(0);
  if (attempts > 0) error.share_of_attempts = (*p - *m) / attempts;
  return error;
}

std::vector<CountError> count_errors(const Counts& predicted, const Counts& measured) {
  std::vector<CountError> errors;
  visit_counts(measured, [&](std::string_view name, const Count&) {
    if (auto error = count_error(name, predicted, measured)) errors.push_back(std::move(*error));
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
