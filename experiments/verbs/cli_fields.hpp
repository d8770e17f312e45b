// The flags that come from the field registry: one per field of the tables a verb asks for, and
// --scenario FILE for the base they are laid over.
#pragma once

#include "core/scenario.hpp"
#include "experiments/experiment/experiment.hpp"
#include "experiments/verbs/command.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

class FieldFlags {
 public:
  // What the flags are laid over: a scenario file that --scenario names, or an experiment that the
  // verb reads.
  enum class Base { scenario_file, experiment };

  // Adds a flag for each field of `tables` ("" is the top) to `app`, and --scenario if that is the
  // base. Must outlive parsing.
  FieldFlags(Command app, const std::vector<std::string_view>& tables,
             Base base = Base::scenario_file);

  // Defaults, then the file of --scenario, then the flags; validated. Throws InvalidInput.
  Scenario scenario() const;

  // The flags that were given, in the order of the registry; values not judged yet.
  std::vector<Setting> given() const;

  // The flags alone, laid over `base`.
  void apply(Scenario& base) const;

 private:
  std::string file_;
  std::map<std::string, std::string> values_;  // by field path, as typed
  std::vector<std::pair<std::string, Flag>> options_;
};

}  // namespace retrystorm
