#include "experiments/experiment/experiment.hpp"

#include "core/bidirectional.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/known_field.hpp"
#include "core/number_text.hpp"
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
constexpr double most_arms = 1000;

// A value, its name and the line it stands on.
struct Entry {
  std::string path;
  toml::source_region key;
  const toml::node* node = nullptr;
  std::string where;
  toml::source_position at;

  // The field of that name; throws InvalidInput.
  const Field& field() const { return known_field(where, path); }
};

InvalidToml wrong(const TomlErrors& errors, const toml::node& node, std::string_view field,
                  std::string_view remedy) {
  return InvalidToml(errors.file(), node.source(), field, remedy);
}

// The dotted entries of a table in the order of the file: `"client.rate" = ...` and
// `client.rate = ...` alike. What is given twice stands in `errors`.
std::vector<Entry> dotted_entries(const toml::table& table, TomlErrors& errors) {
  const std::string& file = errors.file();
  std::vector<Entry> entries;
  for (const auto& [key, node] : table) {
    if (const toml::table* inner = node.as_table()) {
      for (const auto& [name, value] : *inner) {
        entries.push_back({fmt::format("{}.{}", key.str(), name.str()), name.source(), &value,
                           at_line(file, value.source()), value.source().begin});
      }
    } else {
      entries.push_back({std::string(key.str()), key.source(), &node, at_line(file, node.source()),
                         node.source().begin});
    }
  }
  const auto before = [](const Entry& a, const Entry& b) {
    return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
  };
  std::sort(entries.begin(), entries.end(), before);
  std::set<std::string> seen;
  for (const Entry& entry : entries) {
    errors.gather(entry.key, [&] {
      if (!seen.insert(entry.path).second) {
        throw InvalidInput(entry.where, entry.path, "is given twice");
      }
    });
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

Axis read_axis(const Experiment& experiment, const Entry& entry, TomlErrors& errors) {
  Axis axis{&entry.field(), {}};
  const toml::array* list = entry.node->as_array();
  if (!list || list->empty()) {
    throw wrong(errors, *entry.node, entry.path, "must be a list of values, at least one");
  }
  for (const toml::node& item : *list) {
    errors.gather(item.source(), [&] {
      const std::string where = at_line(errors.file(), item.source());
      FieldValue value = normalised(experiment.base, *axis.field,
                                    field_value(item, errors.file(), entry.path), where);
      if (std::find(axis.values.begin(), axis.values.end(), value) != axis.values.end()) {
        throw InvalidInput(where, entry.path, fmt::format("lists {} twice", to_text(value)));
      }
      axis.values.push_back(std::move(value));
    });
  }
  return axis;
}

void read_matrix(Experiment& experiment, const toml::node& node, TomlErrors& errors) {
  const toml::table* table = node.as_table();
  if (!table) throw wrong(errors, node, "matrix", "must be a table: [matrix]");
  std::vector<GivenField> given;
  for (const Entry& entry : dotted_entries(*table, errors)) {
    errors.gather(entry.key, [&] {
      experiment.matrix.push_back(read_axis(experiment, entry, errors));
      given.push_back({experiment.matrix.back().field, entry.where, entry.path});
    });
  }
  errors.gather(node.source(), [&] { refuse_replaced(given); });
}

// True for the field itself and for one that replaces it.
bool says_the_same(const Field& field, const Field& other) {
  return &field == &other || replace_each_other(field.path(), other.path());
}

bool varied(const Experiment& experiment, const Field& field) {
  return std::any_of(experiment.matrix.begin(), experiment.matrix.end(),
                     [&](const Axis& axis) { return says_the_same(*axis.field, field); });
}

void read_entry(NamedArm& arm, const Experiment& experiment, const Entry& entry,
                const TomlErrors& errors) {
  if (entry.path == "name") {
    const auto name = entry.node->value_exact<std::string>();
    if (!name || name->empty() || name->size() > 80 || printable(*name) != *name) {
      throw wrong(errors, *entry.node, "arm.name",
                  "must be a printable text of 1 to 80 bytes, without characters that turn the "
                  "direction of writing");
    }
    arm.name = *name;
    return;
  }
  const Field& field = entry.field();
  if (varied(experiment, field)) {
    throw InvalidInput(entry.where, entry.path,
                       "is varied by [matrix]; an arm cannot set it as well");
  }
  const FieldValue value = field_value(*entry.node, errors.file(), entry.path);
  arm.settings.push_back({&field, normalised(experiment.base, field, value, entry.where)});
}

void read_arm(Experiment& experiment, const toml::node& node, TomlErrors& errors) {
  const std::string where = at_line(errors.file(), node.source());
  NamedArm arm;
  const toml::table& table = *node.as_table();
  std::vector<GivenField> given;
  for (const Entry& entry : dotted_entries(table, errors)) {
    errors.gather(entry.key, [&] {
      read_entry(arm, experiment, entry, errors);
      if (entry.path == "name" || !says_something(arm.settings.back().value)) return;
      given.push_back({arm.settings.back().field, entry.where, entry.path});
    });
  }
  errors.gather(node.source(), [&] { refuse_replaced(given); });
  if (!table.contains("name")) throw InvalidInput(where, "arm", "must have a name");
  const auto same = [&](const NamedArm& other) { return other.name == arm.name; };
  if (std::any_of(experiment.arms.begin(), experiment.arms.end(), same)) {
    throw InvalidInput(where, "arm.name", fmt::format("'{}' names two arms", arm.name));
  }
  experiment.arms.push_back(std::move(arm));
}

void read_arms(Experiment& experiment, const toml::node& node, TomlErrors& errors) {
  const toml::array* list = node.as_array();
  if (!list || !list->is_homogeneous(toml::node_type::table)) {
    throw wrong(errors, node, "arm", "must be a list of tables: [[arm]]");
  }
  for (const toml::node& item : *list) {
    errors.gather(item.source(), [&] { read_arm(experiment, item, errors); });
  }
}

bool plain(std::string_view name) {
  constexpr std::string_view marks = "-_.";
  return !name.empty() && name.size() <= 80 && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  marks.find(c) != marks.npos;
         });
}

void read_head_entry(Experiment& experiment, std::string_view key, const toml::node& value,
                     const TomlErrors& errors) {
  const std::string path = fmt::format("experiment.{}", key);
  const auto text = value.value_exact<std::string>();
  if (key != "name" && key != "question") {
    throw InvalidInput(at_line(errors.file(), value.source()), path,
                       "no such field; use name or question");
  }
  if (!text) throw wrong(errors, value, path, "must be a string");
  if (key == "question") {
    experiment.question = *text;
  } else if (plain(*text)) {
    experiment.name = *text;
  } else {
    throw wrong(errors, value, path,
                "must be 1 to 80 letters, digits, '-', '_' or '.', since it names the run "
                "directory");
  }
}

void read_head(Experiment& experiment, const toml::node& node, TomlErrors& errors) {
  const toml::table* table = node.as_table();
  if (!table) throw wrong(errors, node, "experiment", "must be a table: [experiment]");
  for (const auto& [key, value] : *table) {
    const std::string_view name = key.str();
    const toml::node& node_of_name = value;  // clang's lambdas take no name of a binding
    errors.gather(key.source(), [&] { read_head_entry(experiment, name, node_of_name, errors); });
  }
}

// The field's name in an arm's name: without its table where that is clear.
std::string short_name(const Experiment& experiment, const Field& field) {
  const auto namesakes =
      std::count_if(experiment.matrix.begin(), experiment.matrix.end(),
                    [&](const Axis& axis) { return axis.field->name == field.name; });
  return namesakes > 1 ? field.path() : std::string(field.name);
}

// Refuses more arms than anybody would wait for, before any is made.
void check_count(const Experiment& experiment, std::string_view where) {
  const std::size_t named = std::max<std::size_t>(experiment.arms.size(), 1);
  double arms = static_cast<double>(named);  // the product may be any
  std::string factors = named > 1 ? fmt::format("{} arms", named) : "";
  for (const Axis& axis : experiment.matrix) {
    arms *= static_cast<double>(axis.values.size());
    factors += fmt::format("{}{} of {}", factors.empty() ? "" : " x ", axis.values.size(),
                           axis.field->path());
  }
  if (arms <= most_arms) return;
  throw InvalidInput(where, "matrix",
                     fmt::format("must give at most {} arms, and gives {}: {}", most_arms,
                                 plain_rate_text(arms), factors));
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
  }
  return result;
}

}  // namespace

Experiment experiment_from_toml(std::string_view text, std::string_view file) {
  const toml::table root = parse_toml(text, file);
  Experiment experiment;
  experiment.name = std::filesystem::path(file).stem().string();
  if (!plain(experiment.name)) experiment.name = "experiment";
  experiment.recordings = std::make_shared<Recordings>(folder_of(file));
  TomlErrors errors(text, file);
  const auto read = [&](std::string_view table, auto how) {
    const toml::node* node = root.get(table);
    if (node != nullptr) errors.gather(node->source(), [&] { how(experiment, *node, errors); });
  };
  read("experiment", read_head);
  read_scenario(experiment.base, root, errors, own_tables);
  read("matrix", read_matrix);
  read("arm", read_arms);
  errors.throw_any();
  arms_of(experiment, file);  // judges every combination now, before anything runs
  return experiment;
}

Experiment experiment_from_file(std::string_view path) {
  if (holds_bidirectional_control(path)) {
    throw InvalidInput(path, "", "a file's name must not turn the direction of writing");
  }
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
  check_count(experiment, where);
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
  Recordings here;
  for (Arm& arm : arms) {
    (experiment.recordings ? *experiment.recordings : here).read_into(arm.scenario);
    validate(arm.scenario,
             arms.size() == 1 ? std::string(where) : fmt::format("{}: arm '{}'", where, arm.name));
    if (!names.insert(arm.name).second) {
      throw InvalidInput(where, "arm", fmt::format("two arms are named '{}'", arm.name));
    }
  }
  return arms;
}

}  // namespace retrystorm
