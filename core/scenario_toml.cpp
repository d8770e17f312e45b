#include "core/scenario_toml.hpp"

#include "core/classes.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/known_field.hpp"
#include "core/recordings.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr std::string_view class_table = "class";

// What the file sets, and where.
struct Given {
  GivenField field;
  toml::source_region at;
};

// Two of which each stands in place of the other, at the second.
void refuse_pairs(const std::vector<Given>& given, TomlErrors& errors) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      errors.gather(given[i].at, [&] {
        refuse_replaced(std::array{given[j].field, given[i].field});
      });
    }
  }
}

// Adds to `given` what it set.
void set_from(Scenario& scenario, const std::string& path, const toml::key& key,
              const toml::node& node, TomlErrors& errors, std::vector<Given>& given) {
  errors.gather(key.source(), [&] {
    const Field& field = known_field(at_line(errors.file(), key.source()), path);
    errors.gather(node.source(), [&] {
      const std::string where = at_line(errors.file(), node.source());
      const FieldValue value = field_value(node, errors.file(), path);
      set_field(scenario, field, value, where, path);
      if (says_something(value)) given.push_back({{&field, where, path}, node.source()});
    });
  });
}

void read_table(Scenario& scenario, const std::string& name, const toml::node& node,
                TomlErrors& errors, std::vector<Given>& given) {
  errors.gather(node.source(), [&] {
    const toml::table* table = node.as_table();
    if (!table) {
      throw InvalidToml(errors.file(), node.source(), name,
                        fmt::format("must be a table: [{}]", name));
    }
    for (const auto& [inner, value] : *table) {
      set_from(scenario, fmt::format("{}.{}", name, inner.str()), inner, value, errors, given);
    }
  });
}

// One field of a [[class]]: its share, its work, or a field of [client] under its own name.
void set_class_from(Scenario& scenario, std::size_t c, const toml::key& key, const toml::node& node,
                    TomlErrors& errors) {
  const std::string where = at_line(errors.file(), node.source());
  const std::string path = fmt::format("class[{}].{}", c, key.str());
  if (key.str() == "share") {
    const auto share = node.value<double>();
    if (!share) throw InvalidInput(where, path, "must be a number");
    scenario.classes[c].share = *share;
    return;
  }
  if (key.str() == "work") {
    const auto text = node.value_exact<std::string>();
    const auto work = text ? parse_duration(*text) : std::nullopt;
    if (const std::string remedy = unfit_class_work(work); !remedy.empty()) {
      throw InvalidInput(where, path, remedy);
    }
    scenario.classes[c].work = work;
    return;
  }
  const Field& field = known_field(where, fmt::format("client.{}", key.str()));
  const FieldValue value = field_value(node, errors.file(), path);
  if (const std::string remedy = set_class_field(scenario, c, field, value); !remedy.empty()) {
    throw InvalidInput(where, path, fmt::format("{}; got '{}'", remedy, printable(to_text(value))));
  }
}

// After [client], which they build on.
void read_classes(Scenario& scenario, const toml::node& node, TomlErrors& errors) {
  const toml::array* list = node.as_array();
  if (!list || !list->is_homogeneous(toml::node_type::table)) {
    throw InvalidToml(errors.file(), node.source(), "class", "must be a list of tables: [[class]]");
  }
  scenario.classes.clear();
  for (const toml::node& item : *list) {
    const std::size_t c = scenario.classes.size();
    scenario.classes.push_back({1, scenario.client, {}});
    for (const auto& entry : *item.as_table()) {
      // Clang 14 captures no names of a pair's parts.
      const toml::key& key = entry.first;
      const toml::node& value = entry.second;
      errors.gather(value.source(), [&] { set_class_from(scenario, c, key, value, errors); });
    }
  }
}

std::string class_to_toml(const Scenario& scenario, std::size_t c) {
  const ClientClass& one = scenario.classes[c];
  const Scenario as_class = scenario_of_class(scenario, c);
  std::string text = fmt::format("\n[[class]]\nshare = {}\n", toml_literal(FieldValue(one.share)));
  if (one.work) text += fmt::format("work = \"{}\"\n", format_duration(*one.work));
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
    const toml::source_position at = error.source().begin;
    const InvalidInput line(fmt::format("{}:{}:{}", file, at.line, at.column), "",
                            fmt::format("not valid TOML: {}", error.description()));
    throw InvalidFile(file, {{line.what(), excerpt(text, at)}});
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
      if (!word) throw InvalidToml(file, item.source(), path, "must list strings");
      words.push_back(*word);
    }
    return words;
  }
  throw InvalidToml(file, node.source(), path, "must be a number, a string or a list");
}

void read_scenario(Scenario& scenario, const toml::table& root, TomlErrors& errors,
                   std::span<const std::string_view> others) {
  std::vector<Given> given;
  for (const auto& [key, node] : root) {
    const std::string name(key.str());
    if (name == class_table) continue;
    if (std::find(others.begin(), others.end(), name) != others.end()) continue;
    const auto known = [&](const Field& f) { return f.table == name; };
    const bool is_table = !name.empty() && std::any_of(fields().begin(), fields().end(), known);
    if (!is_table) {
      set_from(scenario, name, key, node, errors, given);
      continue;
    }
    read_table(scenario, name, node, errors, given);
  }
  refuse_pairs(given, errors);
  if (const toml::node* classes = root.get(class_table)) {
    errors.gather(classes->source(), [&] { read_classes(scenario, *classes, errors); });
  }
}

void read_scenario(Scenario& scenario, std::string_view text, std::string_view file) {
  TomlErrors errors(text, file);
  read_scenario(scenario, parse_toml(text, file), errors);
  errors.throw_any();
}

Scenario scenario_from_file(std::string_view path) {
  Scenario scenario;
  read_scenario(scenario, read_file(path), path);
  Recordings(folder_of(path)).read_into(scenario);
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
