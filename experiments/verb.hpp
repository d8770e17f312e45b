// The verbs of the program. Each stands in a file of its own, verb_NAME.cpp: its subcommand, its
// flags, and what runs it. main.cpp lists them.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace retrystorm {

struct Verb {
  CLI::App* app = nullptr;
  std::function<int()> run;  // returns an exit code; called only if the subcommand was given
};

Verb serve_verb(CLI::App& program);
Verb load_verb(CLI::App& program);
Verb run_verb(CLI::App& program);
Verb predict_verb(CLI::App& program);
Verb fields_verb(CLI::App& program);
Verb report_verb(CLI::App& program);
Verb compare_verb(CLI::App& program);
Verb history_verb(CLI::App& program);
Verb trace_verb(CLI::App& program);
Verb rules_verb(CLI::App& program);
Verb watch_verb(CLI::App& program);
Verb admit_verb(CLI::App& program);
Verb budget_verb(CLI::App& program);
Verb capacity_verb(CLI::App& program);
Verb oncall_verb(CLI::App& program);
Verb oncall_check_verb(CLI::App& program);

}  // namespace retrystorm
