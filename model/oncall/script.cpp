#include "model/oncall/script.hpp"

#include "core/error.hpp"
#include "core/scenario_toml.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace retrystorm::oncall {
namespace {

std::optional<Control> parse_control(std::string_view text) {
  const auto found = std::find(control_names.begin(), control_names.end(), text);
  if (found == control_names.end()) return std::nullopt;
  return static_cast<Control>(found - control_names.begin());
}

// The value as a number, if it is of the control's kind.
std::optional<double> parse_value(Control control, const toml::node& node) {
  switch (control) {
    case Control::tracking:
    case Control::recommendations:
    case Control::warm_up:
    case Control::rollback: {
      const auto value = node.value_exact<bool>();
      return value ? std::optional(*value ? 1.0 : 0.0) : std::nullopt;
    }
    case Control::ttl: {
      const auto text = node.value_exact<std::string>();
      const auto duration = text ? parse_duration(*text) : std::nullopt;
      return duration ? std::optional(static_cast<double>(duration->count()) / 1e9) : std::nullopt;
    }
    case Control::floor:
    case Control::target:
    case Control::shed:
      if (const auto whole = node.value_exact<std::int64_t>()) return static_cast<double>(*whole);
      if (const auto real = node.value_exact<double>()) return *real + 0.0;  // -0 is 0
      return std::nullopt;
  }
  return std::nullopt;
}

class Entry {
 public:
  Entry(const toml::node& node, std::string_view file)
      : file_(file), line_(node.source().begin.line), table_(node.as_table()) {
    if (!table_) refuse("action", "must be a table: [[action]]");
    for (const auto& [key, inner] : *table_) {
      if (key.str() != "time" && key.str() != "control" && key.str() != "value") {
        line_ = inner.source().begin.line;
        refuse(key.str(), "is not a field of an action; it has time, control and value");
      }
    }
  }

  [[noreturn]] void refuse(std::string_view field, std::string_view remedy) const {
    throw InvalidInput(fmt::format("{}:{}", file_, line_), field, remedy);
  }
  const toml::node& at(std::string_view key, std::string_view remedy) {
    const toml::node* node = table_->get(key);
    if (!node) refuse(key, fmt::format("is missing; it {}", remedy));
    line_ = node->source().begin.line;
    return *node;
  }
  std::string text(std::string_view key, std::string_view remedy) {
    const auto text = at(key, remedy).value_exact<std::string>();
    if (!text) refuse(key, remedy);
    return *text;
  }

 private:
  std::string_view file_;
  toml::source_index line_;
  const toml::table* table_;
};

Action action_of(Entry entry, const Day& day) {
  const std::string control_remedy =
      fmt::format("must be one of {}", fmt::join(control_names, ", "));
  const auto control = parse_control(entry.text("control", control_remedy));
  if (!control) entry.refuse("control", control_remedy);

  const std::string value_remedy = fit_values(*control, day.constants);
  const auto value = parse_value(*control, entry.at("value", value_remedy));
  if (!value || !fits(*control, *value, day.constants)) entry.refuse("value", value_remedy);

  const std::string time_remedy = fmt::format(
      "must be a clock time \"HH:MM\" after the opening, {}", format_clock(day.opening_clock));
  const int clock = parse_clock(entry.text("time", time_remedy));
  if (clock <= day.opening_clock) entry.refuse("time", time_remedy);
  return {clock - day.opening_clock, *control, *value};
}

}  // namespace

std::vector<Action> script_from_toml(std::string_view text, std::string_view file, const Day& day) {
  const toml::table root = parse_toml(text, file);
  for (const auto& [key, node] : root) {
    if (key.str() != "action") {
      throw InvalidInput(fmt::format("{}:{}", file, node.source().begin.line), key.str(),
                         "is not part of a script; it is a list of [[action]]");
    }
  }
  const toml::node* list = root.get("action");
  if (!list) throw InvalidInput(file, "action", "is missing; a script is a list of [[action]]");
  const toml::array* entries = list->as_array();
  if (!entries) {
    throw InvalidInput(fmt::format("{}:{}", file, list->source().begin.line), "action",
                       "must be a list: [[action]], in double brackets");
  }
  std::vector<Action> script;
  for (const toml::node& node : *entries) {
    const Entry entry(node, file);
    const Action action = action_of(entry, day);
    const bool twice = std::any_of(script.begin(), script.end(), [&](const Action& a) {
      return a.minute == action.minute && a.control == action.control;
    });
    if (twice) entry.refuse(name(action.control), "is moved twice at one time");
    script.push_back(action);
  }
  std::stable_sort(script.begin(), script.end(),
                   [](const Action& a, const Action& b) { return a.minute < b.minute; });
  return script;
}

}  // namespace retrystorm::oncall
