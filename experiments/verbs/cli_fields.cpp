#include "experiments/verbs/cli_fields.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/files.hpp"
#include "core/recording_source.hpp"
#include "core/recordings.hpp"
#include "core/scenario_toml.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {

FieldFlags::FieldFlags(Command app, const std::vector<std::string_view>& tables, Base base) {
  if (base == Base::scenario_file) {
    app.add_option("--scenario", file_, "TOML file with the scenario that the flags change")
        .type_name("FILE")
        .not_empty();
  }
  const Scenario defaults;
  for (const Field& field : fields()) {
    if (std::find(tables.begin(), tables.end(), field.table) == tables.end()) continue;
    const std::string path = field.path();
    const Flag option =
        app.add_option(field.flag(), values_[path], fmt::format("{} ({})", field.help, field.range))
            .type_name(std::string(field.type))
            .default_str(base == Base::experiment ? "" : to_text(field.get(defaults)))
            .group(field.table.empty() ? "Run" : fmt::format("[{}]", field.table));
    options_.emplace_back(path, option);
  }
}

Scenario FieldFlags::scenario() const {
  Scenario scenario;
  if (!file_.empty()) read_scenario(scenario, read_file(file_), file_);
  apply(scenario);
  Recordings(folder_of(file_)).read_into(scenario);
  validate(scenario, command_line);
  return scenario;
}

std::vector<Setting> FieldFlags::given() const {
  std::vector<Setting> settings;
  std::vector<GivenField> fields;
  for (const auto& [path, option] : options_) {
    if (!option.given()) continue;
    const Field* field = find_field(path);
    settings.push_back({field, value_from_text(*field, values_.at(path))});
    FieldValue& value = settings.back().value;
    if (says_something(value)) {
      // A file that a flag names is sought here, whatever file the flags change.
      if (field->type == "file") value = absolute_source(values_.at(path));
      fields.push_back({field, std::string(command_line), field->flag()});
    }
  }
  refuse_replaced(fields);
  return settings;
}

void FieldFlags::apply(Scenario& base) const {
  for (const auto& [field, value] : given()) {
    set_field(base, *field, value, command_line, field->flag());
  }
}

}  // namespace retrystorm
