#include "experiments/experiment/experiment.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/known_field.hpp"
#include "core/policy/arrivals.hpp"
#include "core/scenario_toml.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {
namespace {

constexpr std::array<std::string_view, 3> own_tables = {"experiment", "matrix", "arm"};
constexpr std::size_t most_arms = 1000;

// A value and the line it stands on.
struct Entry {
  std::string path;
  const toml::node* node = nullptr;
  std::string where;
  toml::source_position at;
};

std::string at_line(std::string_view file, const toml::node& node) {
  return fmt::format("{}:{}", file, node.source().begin.line);
}

// The dotted entries of a table in the order of the file: `"client.rate" = ...` and
// `client.rate = ...` alike.
std::vector<Entry> dotted_entries(const toml::table& table, std::string_view file) {
  std::vector<Entry> entries;
  for (const auto& [key, node] : table) {
    if (const toml::table* inner = node.as_table()) {
      for (const auto& [name, value] : *inner) {
        entries.push_back({fmt::format("{}.{}", key.str(), name.str()), &value,
                           at_line(file, value), value.source().begin});
      }
    } else {
      entries.push_back({std::string(key.str()), &node, at_line(file, node), node.source().begin});
    }
  }
  const auto before = [](const Entry& a, const Entry& b) {
    return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
  };
  std::sort(entries.begin(), entries.end(), before);
  std::set<std::string> seen;
  for (const Entry& entry : entries) {
    if (!seen.insert(entry.path).second) {
      throw InvalidInput(entry.where, entry.path, "is given twice");
    }
  }
  return entries;
}

// The value as the scenario keeps it, so that "1200/s" and 1200 are one value.
FieldValue normalised(const Scenario& base, const Field& field, const FieldValue& value,
                      const std::string& where) {
  Scenario scenario = base;
  set_field(scenario, field, value, where, field.path());
  return field.get(scenario);
}

void read_matrix(Experiment& experiment, const toml::node& node, std::string_view file) {
  const toml::table* table = node.as_table();
  if (!table) throw InvalidInput(at_line(file, node), "matrix", "must be a table: [matrix]");
  std::vector<GivenField> given;
  for (const Entry& entry : dotted_entries(*table, file)) {
    const Field& field = known_field(entry.where, entry.path);
    const toml::array* list = entry.node->as_array();
    if (!list || list->empty()) {
      throw InvalidInput(entry.where, entry.path, "must be a list of values, at least one");
    }
    given.push_back({&field, entry.where, entry.path});
    Axis axis{&field, {}};
    for (const toml::node& item : *list) {
      const std::string where = at_line(file, item);
      FieldValue value =
          normalised(experiment.base, field, field_value(item, file, entry.path), where);
      if (std::find(axis.values.begin(), axis.values.end(), value) != axis.values.end()) {
        throw InvalidInput(where, entry.path, fmt::format("lists {} twice", to_text(value)));
      }
      axis.values.push_back(std::move(value));
    }
    experiment.matrix.push_back(std::move(axis));
  }
  refuse_replaced(given);
}

// True for the field itself and for one that replaces it.
bool says_the_same(const Field& field, const Field& other) {
  return &field == &other || replace_each_other(field.path(), other.path());
}

bool varied(const Experiment& experiment, const Field& field) {
  return std::any_of(experiment.matrix.begin(), experiment.matrix.end(),
                     [&](const Axis& axis) { return says_the_same(*axis.field, field); });
}

NamedArm read_arm(const Experiment& experiment, const toml::node& node, std::string_view file) {
  const std::string where = at_line(file, node);
  NamedArm arm;
  std::vector<GivenField> given;
  for (const Entry& entry : dotted_entries(*node.as_table(), file)) {
    if (entry.path == "name") {
      const auto name = entry.node->value_exact<std::string>();
      if (!name || name->empty() || name->size() > 80 || printable(*name) != *name) {
        throw InvalidInput(entry.where, "arm.name", "must be a printable text of 1 to 80 bytes");
      }
      arm.name = *name;
      continue;
    }
    const Field& field = known_field(entry.where, entry.path);
    if (varied(experiment, field)) {
      throw InvalidInput(entry.where, entry.path,
                         "is varied by [matrix]; an arm cannot set it as well");
    }
    arm.settings.push_back(
        {&field, normalised(experiment.base, field, field_value(*entry.node, file, entry.path),
                            entry.where)});
    if (says_something(arm.settings.back().value)) {
      given.push_back({&field, entry.where, entry.path});
    }
  }
  refuse_replaced(given);
  if (arm.name.empty()) throw InvalidInput(where, "arm", "must have a name");
  const auto same = [&](const NamedArm& other) { return other.name == arm.name; };
  if (std::any_of(experiment.arms.begin(), experiment.arms.end(), same)) {
    throw InvalidInput(where, "arm.name", fmt::format("'{}' names two arms", arm.name));
  }
  return arm;
}

void read_arms(Experiment& experiment, const toml::node& node, std::string_view file) {
  const toml::array* list = node.as_array();
  if (!list || !list->is_homogeneous(toml::node_type::table)) {
    throw InvalidInput(at_line(file, node), "arm", "must be a list of tables: [[arm]]");
  }
  for (const toml::node& item : *list) experiment.arms.push_back(read_arm(experiment, item, file));
}

bool plain(std::string_view name) {
  constexpr std::string_view marks = "-_.";
  return !name.empty() && name.size() <= 80 && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  marks.find(c) != marks.npos;
         });
}

void read_head(Experiment& experiment, const toml::node& node, std::string_view file) {
  const toml::table* table = node.as_table();
  if (!table) {
    throw InvalidInput(at_line(file, node), "experiment", "must be a table: [experiment]");
  }
  for (const auto& [key, value] : *table) {
    const std::string path = fmt::format("experiment.{}", key.str());
    const auto text = value.value_exact<std::string>();
    if (key.str() != "name" && key.str() != "question") {
      throw InvalidInput(at_line(file, value), path, "no such field; use name or question");
    }
    if (!text) throw InvalidInput(at_line(file, value), path, "must be a string");
    if (key.str() == "question") {
      experiment.question = *text;
    } else if (plain(*text)) {
      experiment.name = *text;
    } else {
      throw InvalidInput(at_line(file, value), path,
                         "must be 1 to 80 letters, digits, '-', '_' or '.', since it names the "
                         "run directory");
    }
  }
}

// The field's name in an arm's name: without its table where that is clear.
std::string short_name(const Experiment& experiment, const Field& field) {
  const auto namesakes =
      std::count_if(experiment.matrix.begin(), experiment.matrix.end(),
                    [&](const Axis& axis) { return axis.field->name == field.name; });
  return namesakes > 1 ? field.path() : std::string(field.name);
}

// Crosses `arms` with one axis.
std::vector<Arm> crossed(const Experiment& experiment, const std::vector<Arm>& arms,
                         const Axis& axis, std::string_view where) {
  std::vector<Arm> result;
  for (const Arm& arm : arms) {
    for (const FieldValue& value : axis.values) {
      Arm next = arm;
      set_field(next.scenario, *axis.field, value, where, axis.field->path());
      next.name += fmt::format("{}{}={}", arm.name.empty() ? "" : " ",
                               short_name(experiment, *axis.field), to_text(value));
      result.push_back(std::move(next));
    }
    if (result.size() > most_arms) {
      throw InvalidInput(where, "matrix", fmt::format("must give at most {} arms", most_arms));
    }
  }
  return result;
}

}  // namespace

Experiment experiment_from_toml(std::string_view text, std::string_view file) {
  const toml::table root = parse_toml(text, file);
  Experiment experiment;
  experiment.name = std::filesystem::path(file).stem().string();
  if (!plain(experiment.name)) experiment.name = "experiment";
  if (const auto* head = root.get("experiment")) read_head(experiment, *head, file);
  read_scenario(experiment.base, root, file, own_tables);
  if (const auto* matrix = root.get("matrix")) read_matrix(experiment, *matrix, file);
  if (const auto* arms = root.get("arm")) read_arms(experiment, *arms, file);
  arms_of(experiment, file);  // judges every combination now, before anything runs
  return experiment;
}

Experiment experiment_from_file(std::string_view path) {
  return experiment_from_toml(read_file(path), path);
}

void override_fields(Experiment& experiment, const std::vector<Setting>& flags) {
  for (const auto& [field, value] : flags) {
    const std::string shown_as = field->flag();
    set_field(experiment.base, *field, value, command_line, shown_as);
    const FieldValue kept = field->get(experiment.base);
    const auto replaces = [&, f = field](const auto& other) {
      return says_something(kept) && replace_each_other(f->path(), other.field->path());
    };
    std::erase_if(experiment.matrix, replaces);
    for (NamedArm& arm : experiment.arms) std::erase_if(arm.settings, replaces);
    for (Axis& axis : experiment.matrix) {
      if (axis.field == field) axis.values = {kept};
    }
    for (NamedArm& arm : experiment.arms) {
      for (Setting& setting : arm.settings) {
        if (setting.field == field) setting.value = kept;
      }
    }
  }
}

std::string experiment_to_toml(const Experiment& experiment) {
  const auto quoted = [](const std::string& text) { return toml_literal(FieldValue(text)); };
  std::string text = scenario_to_toml(experiment.base);
  text += fmt::format("\n[experiment]\nname = {}\nquestion = {}\n", quoted(experiment.name),
                      quoted(experiment.question));
  if (!experiment.matrix.empty()) text += "\n[matrix]\n";
  for (const Axis& axis : experiment.matrix) {
    std::vector<std::string> values;
    for (const FieldValue& value : axis.values) values.push_back(toml_literal(value));
    text += fmt::format("{} = [{}]\n", quoted(axis.field->path()), fmt::join(values, ", "));
  }
  for (const NamedArm& arm : experiment.arms) {
    text += fmt::format("\n[[arm]]\nname = {}\n", quoted(arm.name));
    for (const auto& [field, value] : arm.settings) {
      text += fmt::format("{} = {}\n", quoted(field->path()), toml_literal(value));
    }
  }
  return text;
}

std::vector<Arm> arms_of(const Experiment& experiment, std::string_view where) {
  std::vector<Arm> arms;
  for (const NamedArm& named : experiment.arms) {
    Arm arm{named.name, experiment.base};
    for (const auto& [field, value] : named.settings) {
      set_field(arm.scenario, *field, value, where, field->path());
    }
    arms.push_back(std::move(arm));
  }
  if (arms.empty()) arms.push_back({"", experiment.base});
  for (const Axis& axis : experiment.matrix) arms = crossed(experiment, arms, axis, where);
  if (arms.size() == 1 && arms.front().name.empty()) arms.front().name = experiment.name;
  std::set<std::string> names;
  for (const Arm& arm : arms) {
    validate(arm.scenario,
             arms.size() == 1 ? std::string(where) : fmt::format("{}: arm '{}'", where, arm.name));
    if (!names.insert(arm.name).second) {
      throw InvalidInput(where, "arm", fmt::format("two arms are named '{}'", arm.name));
    }
  }
  return arms;
}

}  // namespace retrystorm
