// retrystorm budget: the error budget of events on standard input, or of a measured run.
#include "core/error.hpp"
#include "core/json.hpp"
#include "experiments/report/budget_text.hpp"
#include "experiments/verbs/cli_fields.hpp"
#include "experiments/verbs/flag_values.hpp"
#include "experiments/verbs/standard_input.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"

#include <memory>

#include <boost/json.hpp>

namespace retrystorm {
namespace {

struct Flags {
  std::string run;
  std::string target;
  std::string latency = "300ms";
  bool json = false;
  Flag target_option;
  Flag latency_option;
};

int of_events(const Flags& flags) {
  for (const Flag& option : {flags.target_option, flags.latency_option}) {
    if (option.given()) {
      throw InvalidInput(command_line, option.name(),
                         "needs --run DIR; for events it stands in the input");
    }
  }
  const BudgetInput input =
      budget_input(parse_strict_json(read_standard_input(), standard_input), standard_input);
  write_output(pretty_json(to_json(error_budget(input))));
  return exit_done;
}

int of_run(const Flags& flags) {
  const std::int64_t target = percent_flag("--target", flags.target);
  const auto latency = parse_duration(flags.latency);
  if (!latency) throw InvalidInput(command_line, "--latency", "must be a duration such as 100ms");
  const RunBudget budget = budget_of_run(flags.run, target, *latency);
  write_output(flags.json ? pretty_json(to_json(budget)) : budget_text(budget));
  return exit_code_of(budget);
}

}  // namespace

Verb budget_verb(Command program) {
  Command app = program.add_subcommand(
      "budget", "Compute an error budget from events, or from the ledger of a run");
  auto flags = std::make_shared<Flags>();
  const Flag run = app.add_option("--run", flags->run, "the run directory").type_name("DIR");
  flags->target_option =
      app.add_option("--target", flags->target, "share of requests that must be good")
          .type_name("PERCENT");
  flags->latency_option =
      app.add_option("--latency", flags->latency,
                     "a request is good if it succeeded within this of its schedule")
          .type_name("duration")
          .capture_default_str();
  app.add_flag("--json", flags->json, "print only JSON (always so for events)");
  app.footer(
      "Without --run, JSON on standard input: {\"target_ppm\", \"latency_ms\" (300 unless given),\n"
      "\"events\": [{\"eligible\", \"ok\", \"latency_ms\"}]}; JSON on standard output: total, "
      "good, bad,\n"
      "ratio, allowed_bad, remaining. docs/calculators.md has every rule.\n"
      "With --run: a budget for each arm of the run; unfinished requests are bad, and those that "
      "a\n"
      "policy kept back; those that the generator was too short of something to send do not "
      "count.\n"
      "Exit codes: 0 done; with --run also 1 a budget is overspent, 3 an arm is not trusted; 2 "
      "the\n"
      "input is invalid; 3 the answer cannot be written.\n"
      "Examples:\n"
      "  retrystorm budget < events.json\n"
      "  retrystorm budget --run results/collapse-20250101T120000Z --target 99.9% --latency 100ms\n"
      "  echo '{\"target_ppm\": 990000, \"events\": [{\"eligible\": true, \"ok\": true,\n"
      "    \"latency_ms\": 12}]}' | retrystorm budget");
  return {app, [flags, run] { return run.given() ? of_run(*flags) : of_events(*flags); }};
}

}  // namespace retrystorm
