// An experiment: a scenario, the fields to vary, and the arms that come of it. Read from TOML,
// written complete (defaults written out) so that it reads back equal. How arms are run stands
// elsewhere.
#pragma once

#include "core/fields.hpp"
#include "core/recordings.hpp"
#include "core/scenario.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace retrystorm {

// A field set to a value.
struct Setting {
  const Field* field = nullptr;
  FieldValue value;
};

// One axis of the matrix: a field and the values it takes.
struct Axis {
  const Field* field = nullptr;
  std::vector<FieldValue> values;
};

// An arm as the file names it, before the matrix crosses it.
struct NamedArm {
  std::string name;
  std::vector<Setting> settings;
};

struct Experiment {
  std::string name;      // letters, digits, '-', '_' and '.': it names the run directory
  std::string question;  // what it is to answer; may be empty
  Scenario base;
  std::vector<Axis> matrix;
  std::vector<NamedArm> arms;
  // What its arms name, sought where its file stands; null: in the current folder.
  std::shared_ptr<Recordings> recordings = nullptr;
};

// One scenario to be run. The name is stable and readable: "rate=1200 retries=2", "budget", or
// "budget rate=1200".
struct Arm {
  std::string name;
  Scenario scenario;
};

// Reads an experiment; `file` stands in messages, and names the experiment if it has no name.
// Throws InvalidInput with file and line for unknown, duplicate and unfit fields, of all of them at
// once.
Experiment experiment_from_toml(std::string_view text, std::string_view file);
Experiment experiment_from_file(std::string_view path);

// Lays flags over an experiment: each replaces the base's and every arm's value, and narrows an
// axis of its field to the one value. What the flag stands in place of goes.
void override_fields(Experiment& experiment, const std::vector<Setting>& flags);

// The complete experiment as TOML.
std::string experiment_to_toml(const Experiment& experiment);

// The arms: every named arm (or the bare scenario) crossed with the matrix, in the order of the
// file, with the recordings that they name. Throws InvalidInput naming `where` for an unfit
// scenario or two arms of one name.
std::vector<Arm> arms_of(const Experiment& experiment, std::string_view where);

}  // namespace retrystorm
