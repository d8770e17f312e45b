#include "core/known_field.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// Levenshtein distance, for names of a few dozen letters.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t next = std::min({row[j] + 1, row[j + 1] + 1, diagonal + (a[i] != b[j])});
      diagonal = std::exchange(row[j + 1], next);
    }
  }
  return row.back();
}

// Empty if nothing is near. Of a short name fewer letters may be wrong: `name` is not `rate`.
std::string nearest_field(std::string_view path) {
  const std::string_view bare = path.substr(path.rfind('.') + 1);
  std::string best;
  std::size_t best_distance = std::min<std::size_t>(4, 1 + bare.size() / 3);
  for (const Field& field : fields()) {
    const std::size_t d = std::min(distance(field.path(), path), distance(field.name, bare));
    if (d < best_distance) {
      best_distance = d;
      best = field.path();
    }
  }
  return best;
}

}  // namespace

const Field& known_field(std::string_view where, std::string_view path) {
  if (const Field* field = find_field(path)) return *field;
  const std::string near = nearest_field(path);
  throw InvalidInput(where, path,
                     near.empty() ? "no such field; `retrystorm fields` lists them"
                                  : fmt::format("no such field; did you mean {}?", near));
}

}  // namespace retrystorm
