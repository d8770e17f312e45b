#include "core/known_field.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/nearest.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// Empty if nothing is near.
std::string nearest_field(std::string_view path) {
  const std::string_view bare = path.substr(path.rfind('.') + 1);
  std::string best;
  std::size_t best_distance = too_far_apart(bare);
  for (const Field& field : fields()) {
    const std::size_t d =
        std::min(letters_apart(field.path(), path), letters_apart(field.name, bare));
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

const Field& meant_field(std::string_view where, std::string_view name) {
  std::vector<const Field*> namesakes;
  for (const Field& field : fields()) {
    if (field.path() == name) return field;
    if (field.name == name) namesakes.push_back(&field);
  }
  if (namesakes.empty()) return known_field(where, name);
  if (namesakes.size() == 1) return *namesakes.front();
  std::string paths;
  for (const Field* field : namesakes) paths += (paths.empty() ? "" : " or ") + field->path();
  throw InvalidInput(where, name, fmt::format("may be {}: say which", paths));
}

}  // namespace retrystorm
