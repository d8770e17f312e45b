#include "core/nearest.hpp"

#include <algorithm>
#include <numeric>

namespace retrystorm {

std::size_t letters_apart(std::string_view a, std::string_view b) {
  // Rows of the table of distances between beginnings of both: before the last, last, this.
  std::vector<std::size_t> older(b.size() + 1), old(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    older.swap(old);
    old.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({old[j] + 1, row[j - 1] + 1, old[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], older[j - 2] + 1);
    }
  }
  return row.back();
}

std::size_t too_far_apart(std::string_view name) {
  return std::min<std::size_t>(4, 1 + name.size() / 3);
}

std::string nearest(std::string_view given, const std::vector<std::string>& names) {
  std::string best;
  std::size_t least = too_far_apart(given);
  for (const std::string& name : names) {
    const std::size_t apart = letters_apart(given, name);
    if (apart >= least) continue;
    least = apart;
    best = name;
  }
  if (!best.empty() || given.size() < 3) return best;
  const auto begun = std::find_if(names.begin(), names.end(),
                                  [&](const std::string& name) { return name.starts_with(given); });
  return begun == names.end() ? std::string() : *begun;
}

}  // namespace retrystorm
