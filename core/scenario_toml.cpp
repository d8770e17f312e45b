#include "core/scenario_toml.hpp"

#include "core/classes.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/known_field.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {
namespace {

GivenField set_from(Scenario& scenario, const std::string& path, const toml::node& node,
                    std::string_view file) {
  const std::string where = at_line(file, node);
  const Field& field = known_field(where, path);
  set_field(scenario, field, field_value(node, file, path), where, path);
  return {&field, where, path};
}

}  // namespace

std::string at_line(std::string_view file, const toml::node& node) {
  return fmt::format("{}:{}", file, node.source().begin.line);
}

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
      if (!word) throw InvalidInput(at_line(file, item), path, "must list strings");
      words.push_back(*word);
    }
    return words;
  }
  throw InvalidInput(at_line(file, node), path, "must be a number, a string or a list");
}

void read_scenario(Scenario& scenario, const toml::table& root, std::string_view file,
                   std::span<const std::string_view> others) {
  std::vector<GivenField> given;
  for (const auto& [key, node] : root) {
    const std::string name(key.str());
    if (std::find(others.begin(), others.end(), name) != others.end()) continue;
    const auto known = [&](const Field& f) { return f.table == name; };
    const bool is_table = !name.empty() && std::any_of(fields().begin(), fields().end(), known);
    if (!is_table) {
      set_from(scenario, name, node, file);
      continue;
    }
    const toml::table* table = node.as_table();
    if (!table) {
      throw InvalidInput(at_line(file, node), name,
                         fmt::format("must be a table: [{}]", name));
    }
    for (const auto& [inner, value] : *table) {
      given.push_back(set_from(scenario, fmt::format("{}.{}", name, inner.str()), value, file));
      const toml::array* list = value.as_array();
      if (list != nullptr && list->empty()) given.pop_back();  // no stages
    }
  }
  refuse_replaced(given);
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
  refuse_classes(scenario, "scenario in TOML");
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
  return text;
}

}  // namespace retrystorm
