// The verbs of the program. Each stands in a file of its own, verbs/NAME.cpp: its subcommand, its
// flags, and what runs it. main.cpp lists them.
#pragma once

#include "experiments/verbs/command.hpp"

#include <functional>

namespace retrystorm {

struct Verb {
  Command app;
  std::function<int()> run;  // returns an exit code; called only if the subcommand was given
};

Verb serve_verb(Command program);
Verb load_verb(Command program);
Verb run_verb(Command program);
Verb predict_verb(Command program);
Verb fields_verb(Command program);
Verb report_verb(Command program);
Verb compare_verb(Command program);
Verb history_verb(Command program);
Verb trace_verb(Command program);
Verb rules_verb(Command program);
Verb watch_verb(Command program);
Verb admit_verb(Command program);
Verb budget_verb(Command program);
Verb capacity_verb(Command program);
Verb oncall_verb(Command program);
Verb oncall_check_verb(Command program);
// These print what the whole command line is, as it stands when they run.
Verb man_verb(Command program, const Program& whole);
Verb completions_verb(Command program, const Program& whole);

}  // namespace retrystorm
