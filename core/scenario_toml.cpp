#include "core/scenario_toml.hpp"

#include "core/classes.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/known_field.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr std::string_view class_table = "class";

std::string at_line(std::string_view file, const toml::source_region& source) {
  return fmt::format("{}:{}", file, source.begin.line);
}

// Adds to `given` what it set.
void set_from(Scenario& scenario, const std::string& path, const toml::node& node,
              std::string_view file, std::vector<GivenField>& given) {
  const std::string where = at_line(file, node.source());
  const Field& field = known_field(where, path);
  const FieldValue value = field_value(node, file, path);
  set_field(scenario, field, value, where, path);
  if (says_something(value)) given.push_back({&field, where, path});
}

// One [[class]]: its share, and fields of [client] under their own names.
void read_class(Scenario& scenario, const toml::table& table, std::string_view file) {
  const std::size_t c = scenario.classes.size();
  scenario.classes.push_back({1, scenario.client, {}});
  for (const auto& [key, node] : table) {
    const std::string where = at_line(file, node.source());
    const std::string path = fmt::format("class[{}].{}", c, key.str());
    if (key.str() == "share") {
      const auto share = node.value<double>();
      if (!share) throw InvalidInput(where, path, "must be a number");
      scenario.classes[c].share = *share;
      continue;
    }
    const Field& field = known_field(where, fmt::format("client.{}", key.str()));
    const FieldValue value = field_value(node, file, path);
    if (const std::string remedy = set_class_field(scenario, c, field, value); !remedy.empty()) {
      throw InvalidInput(where, path,
                         fmt::format("{}; got '{}'", remedy, printable(to_text(value))));
    }
  }
}

// After [client], which they build on.
void read_classes(Scenario& scenario, const toml::node& node, std::string_view file) {
  const toml::array* list = node.as_array();
  if (!list || !list->is_homogeneous(toml::node_type::table)) {
    throw InvalidInput(at_line(file, node.source()), "class",
                       "must be a list of tables: [[class]]");
  }
  scenario.classes.clear();
  for (const toml::node& item : *list) read_class(scenario, *item.as_table(), file);
}

std::string class_to_toml(const Scenario& scenario, std::size_t c) {
  const ClientClass& one = scenario.classes[c];
  const Scenario as_class = scenario_of_class(scenario, c);
  std::string text = fmt::format("\n[[class]]\nshare = {}\n", toml_literal(FieldValue(one.share)));
  for (const Field& field : fields()) {
    if (!is_set_by_class(field)) continue;
    const bool own = std::find(one.own.begin(), one.own.end(), field.name) != one.own.end();
    if (!own && field.get(as_class) == field.get(scenario)) continue;
    text += fmt::format("{} = {}\n", field.name, toml_literal(field.get(as_class)));
  }
  return text;
}

}  // namespace

toml::table parse_toml(std::string_view text, std::string_view file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw InvalidInput(
        fmt::format("{}:{}:{}", file, error.source().begin.line, error.source().begin.column), "",
        fmt::format("not valid TOML: {}", error.description()));
  }
}

FieldValue field_value(const toml::node& node, std::string_view file, std::string_view path) {
  if (const auto v = node.value_exact<std::int64_t>()) return *v;
  if (const auto v = node.value_exact<double>()) return *v;
  if (const auto v = node.value_exact<std::string>()) return *v;
  if (const toml::array* list = node.as_array()) {
    std::vector<std::string> words;
    for (const toml::node& item : *list) {
      const auto word = item.value_exact<std::string>();
      if (!word) throw InvalidInput(at_line(file, item.source()), path, "must list strings");
      words.push_back(*word);
    }
    return words;
  }
  throw InvalidInput(at_line(file, node.source()), path, "must be a number, a string or a list");
}

void read_scenario(Scenario& scenario, const toml::table& root, std::string_view file,
                   std::span<const std::string_view> others) {
  std::vector<GivenField> given;
  for (const auto& [key, node] : root) {
    const std::string name(key.str());
    if (name == class_table) continue;
    if (std::find(others.begin(), others.end(), name) != others.end()) continue;
    const auto known = [&](const Field& f) { return f.table == name; };
    const bool is_table = !name.empty() && std::any_of(fields().begin(), fields().end(), known);
    if (!is_table) {
      set_from(scenario, name, node, file, given);
      continue;
    }
    const toml::table* table = node.as_table();
    if (!table) {
      throw InvalidInput(at_line(file, node.source()), name,
                         fmt::format("must be a table: [{}]", name));
    }
    for (const auto& [inner, value] : *table) {
      set_from(scenario, fmt::format("{}.{}", name, inner.str()), value, file, given);
    }
  }
  refuse_replaced(given);
  if (const toml::node* classes = root.get(class_table)) read_classes(scenario, *classes, file);
}

Scenario scenario_from_file(std::string_view path) {
  Scenario scenario;
  read_scenario(scenario, parse_toml(read_file(path), path), path);
  validate(scenario, path);
  return scenario;
}

std::string toml_literal(const FieldValue& value) {
  std::ostringstream text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    text << toml::value<std::int64_t>(*whole);
  } else if (const auto* real = std::get_if<double>(&value)) {
    text << toml::value<double>(*real);
  } else if (const auto* word = std::get_if<std::string>(&value)) {
    text << toml::value<std::string>(*word);
  } else {
    toml::array list;
    for (const std::string& item : std::get<std::vector<std::string>>(value)) list.push_back(item);
    text << list;
  }
  return text.str();
}

std::string scenario_to_toml(const Scenario& scenario) {
  std::string text;
  std::string_view table;
  for (const Field& field : fields()) {
    if (field.table != table) {
      table = field.table;
      text += fmt::format("\n[{}]\n", table);
    }
    if (is_replaced(scenario, field)) continue;
    text += fmt::format("{} = {}\n", field.name, toml_literal(field.get(scenario)));
  }
  for (std::size_t c = 0; c < scenario.classes.size(); ++c) text += class_to_toml(scenario, c);
  return text;
}

}  // namespace retrystorm
