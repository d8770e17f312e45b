// A case of the campaign: a scenario file as lines "path = value", so that a case can be printed,
// repeated, and shrunk by leaving lines out (a field left out has its default).
#pragma once

#include "core/scenario.hpp"

#include <string>
#include <vector>

namespace retrystorm::campaign {

struct Line {
  std::string key;    // "client.rate"; as TOML has it, so quoted where it must be
  std::string value;  // a TOML literal
};

struct Case {
  std::vector<Line> lines;
  // What makes the file invalid, for people; empty for a case that may be valid.
  std::string flaw;
  // A part of the one line that must refuse it: the name of what is wrong. Empty: any refusal.
  std::string named;
};

// The scenario file.
std::string text_of(const Case& c);

// The scenario that the verbs read from such a file, by the functions that they use. Throws
// InvalidInput.
Scenario scenario_of(const Case& c);

// The arguments that repeat the case: "--check 'client.rate = 700' ...", quoted for a shell.
std::string arguments_of(const Case& c);

// The case that such arguments say: lines, and "!" before what must be refused by that name.
Case case_from(const std::vector<std::string>& arguments);

}  // namespace retrystorm::campaign
