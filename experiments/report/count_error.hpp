// How far a prediction is from a measurement, count by count.
#pragma once

#include "core/figures.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

// The counts whose prediction is judged one by one, those that a comparison tells: the published
// ones and those they are made of.
inline constexpr auto judged_counts = [] {
  constexpr auto is_judged = [](const auto& row) { return row.compared == Compared::counts; };
  std::array<std::string_view, std::count_if(count_figures.begin(), count_figures.end(), is_judged)>
      names{};
  std::size_t size = 0;
  for (const auto& row : count_figures) {
    if (is_judged(row)) names[size++] = row.name;
  }
  return names;
}();

struct CountError {
  std::string count;        // its name in JSON
  Count percent;            // 100 x (predicted - measured) / measured; empty where measured is 0
  Count share_of_attempts;  // (predicted - measured) / measured attempts: 40 of 26,000 is little,
                            // 40 of 240 is not
};

// Of one count by its name; nothing where one of the two does not answer.
std::optional<CountError> count_error(std::string_view count, const Counts& predicted,
                                      const Counts& measured);
// One for each count that both have.
std::vector<CountError> count_errors(const Counts& predicted, const Counts& measured);

// The largest |share_of_attempts|; nothing without counts.
std::optional<CountError> worst_error(const Counts& predicted, const Counts& measured);

// How many counts of a measurement lie within a prediction's band over seeds (its spread, ends
// included).
struct BandVerdict {
  std::size_t judged = 0;
  std::size_t within = 0;
  std::vector<std::string> outside;  // "completed: 6190 is not within 6166 to 6188"
};
BandVerdict against_band(const Tally& predicted, const Counts& measured);

}  // namespace retrystorm
