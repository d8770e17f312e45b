// The flags that come from the field registry: one per field of the tables a verb asks for, and
// --scenario FILE for the base they are laid over.
#pragma once

#include "core/scenario.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace retrystorm {

// Where a value given on the command line stands, for messages.
inline constexpr std::string_view command_line = "command line";

class FieldFlags {
 public:
  // Adds --scenario and a flag for each field of `tables` ("" is the top) to `app`. Must outlive
  // parsing.
  FieldFlags(CLI::App& app, const std::vector<std::string_view>& tables);

  // Defaults, then the file of --scenario, then the flags; validated. Throws InvalidInput.
  Scenario scenario() const;

  // The flags alone, laid over `base`.
  void apply(Scenario& base) const;

 private:
  std::string file_;
  std::map<std::string, std::string> values_;  // by field path, as typed
  std::vector<std::pair<std::string, const CLI::Option*>> options_;
};

}  // namespace retrystorm
