#include "experiments/experiment/published.hpp"

#include "core/error.hpp"
#include "core/known_field.hpp"
#include "core/scenario_toml.hpp"
#include "core/tally_figures.hpp"
#include "experiments/experiment/published_files.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// True if the scenario's field equals the value, or one of the values, of `node`.
bool field_matches(const Scenario& scenario, std::string_view path, const toml::node& node,
                   std::string_view file) {
  const std::string where = at_line(file, node.source());
  const Field& field = known_field(where, path);
  const auto equals = [&](const toml::node& wanted) {
    Scenario other = scenario;
    set_field(other, field, field_value(wanted, file, path), where, path);
    return field.get(other) == field.get(scenario);
  };
  const toml::array* any_of = node.as_array();
  if (!any_of || field.type == "set") return equals(node);
  for (const toml::node& wanted : *any_of) {
    if (equals(wanted)) return true;
  }
  return false;
}

bool all_match(const Scenario& scenario, const toml::table& wanted, std::string_view file) {
  for (const auto& [path, node] : wanted) {
    if (!field_matches(scenario, path.str(), node, file)) return false;
  }
  return true;
}

// True if every field that neither table names has its default, or one that is still the bench:
// what nobody had thought of when the numbers were published.
bool rest_is_default(const Scenario& scenario, const toml::table& bench, const toml::table& arm) {
  if (!scenario.classes.empty()) return false;
  static const Scenario defaults;
  const auto all = fields();
  return std::all_of(all.begin(), all.end(), [&](const Field& field) {
    const std::string path = field.path();
    return !field.departs || bench.contains(path) || arm.contains(path) ||
           field.get(scenario) == field.get(defaults);
  });
}

const toml::table& table_at(const toml::table& root, std::string_view key, std::string_view file) {
  const toml::table* table = root[key].as_table();
  if (!table) throw InvalidInput(at_line(file, root.source()), key, "must be a table");
  return *table;
}

Tally tally_of(const toml::table& row, std::string_view file) {
  Tally tally;
  tally.engine = "published";
  std::size_t known = 0;
  for (const TallyFigure& figure : tally_figures) {
    const toml::node* node = row.get(figure.short_path());
    if (!node) continue;
    const Count value = node->value<double>();
    if (!value)
      throw InvalidInput(at_line(file, node->source()), figure.short_path(), "must be a number");
    figure.in(tally) = value;
    ++known;
  }
  if (known + 1 != row.size()) {  // `arm` is the one key that is no figure
    throw InvalidInput(at_line(file, row.source()), "row",
                       "has a key that is no figure of a tally");
  }
  return tally;
}

}  // namespace

std::optional<Published> published_in(std::string_view text, std::string_view file,
                                      const Scenario& scenario) {
  const toml::table root = parse_toml(text, file);
  const toml::table& source = table_at(root, "source", file);
  const toml::array* rows = root["row"].as_array();
  if (!rows) throw InvalidInput(file, "row", "must be a list of tables: [[row]]");
  const toml::table& bench = table_at(root, "bench", file);
  const bool on_bench = all_match(scenario, bench, file);
  std::optional<Published> found;
  for (const toml::node& node : *rows) {
    const toml::table* row = node.as_table();
    if (!row) throw InvalidInput(at_line(file, node.source()), "row", "must be a table");
    // Every row is read, so that an error in one is found whichever arm is asked for.
    Tally tally = tally_of(*row, file);
    const toml::table& arm = table_at(*row, "arm", file);
    if (!all_match(scenario, arm, file) || !on_bench || found) continue;
    if (!rest_is_default(scenario, bench, arm)) continue;
    found.emplace();
    found->tally = std::move(tally);
    found->source = source["title"].value_or(std::string());
    found->rates = source["rates"].value_or(std::string());
    if (const toml::array* notes = source["notes"].as_array()) {
      for (const toml::node& note : *notes) found->notes.push_back(note.value_or(std::string()));
    }
  }
  return found;
}

std::optional<Published> published_for(const Scenario& scenario) {
  for (const EmbeddedFile& file : published_files()) {
    if (auto found = published_in(file.text, file.name, scenario)) return found;
  }
  return std::nullopt;
}

}  // namespace retrystorm
