// The labels of a metric, each with its closed set of values, and what of it counts the same as a
// Tally does.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace retrystorm {

enum class MetricKind { counter, gauge, histogram };

class MetricLabel {
 public:
  // No label.
  constexpr MetricLabel() = default;
  // One value; `count` is the Tally's count that its samples add up to, if they do.
  constexpr MetricLabel(std::string_view label, std::string_view value, std::string_view count = {})
      : name(label), value_(value), count_(count) {}
  // A value for each cell (empty: it has no sample), and perhaps a count for each value.
  constexpr MetricLabel(std::string_view label, std::span<const std::string_view> values,
                        std::span<const std::string_view> counts = {})
      : name(label), values_(values), counts_(counts) {}

  constexpr std::size_t size() const { return values_.empty() ? 1 : values_.size(); }
  constexpr std::string_view value(std::size_t i) const {
    return values_.empty() ? value_ : values_[i];
  }
  constexpr std::string_view count(std::size_t i) const {
    return i < counts_.size() ? counts_[i] : count_;
  }

  std::string_view name{};

 private:
  std::string_view value_{};
  std::string_view count_{};
  std::span<const std::string_view> values_{};
  std::span<const std::string_view> counts_{};
};

// How many combinations of values there are.
constexpr std::size_t combinations(std::span<const MetricLabel> labels) {
  std::size_t all = 1;
  for (const MetricLabel& label : labels) all *= label.size();
  return all;
}

// A metric whose samples (those with `value` of `label`; all, if that is empty) add up to a count
// of a Tally, by the name that visit_counts() gives it.
struct MetricWitness {
  std::string_view count;
  std::string_view metric;
  std::string_view label, value;
};

}  // namespace retrystorm
