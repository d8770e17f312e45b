// retrystorm admit: a walk through a list of requests with the admission policy, JSON in and out.
#include "core/error.hpp"
#include "core/json.hpp"
#include "experiments/verbs/standard_input.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"
#include "model/calculators/admission_walk.hpp"

#include <boost/json/value.hpp>

namespace retrystorm {
namespace {

int run() {
  const AdmissionInput input =
      admission_input(parse_strict_json(read_standard_input(), standard_input), standard_input);
  write_admission(input, write_output);
  return exit_done;
}

}  // namespace

Verb admit_verb(Command program) {
  Command app = program.add_subcommand(
      "admit", "Walk through requests with a token bucket and a concurrency limit");
  app.add_flag("--json", "JSON is what it prints anyway");
  app.footer(
      "JSON on standard input: {\"capacity\", \"tokens_per_second\", \"concurrency\", "
      "\"requests\":\n"
      "[{\"id\", \"at_ms\", \"cost\", \"duration_ms\"}]}; JSON on standard output: the trace, the\n"
      "completions, what is pending and the credits left (1 token = 1,000 credits).\n"
      "docs/calculators.md has every rule.\n"
      "Exit codes: 0 done, 2 the input is invalid, 3 the answer cannot be written.\n"
      "Examples:\n"
      "  retrystorm admit < requests.json\n"
      "  retrystorm admit < requests.json | jq '.trace[] | select(.decision != \"accepted\")'\n"
      "  echo '{\"capacity\": 2, \"tokens_per_second\": 2, \"concurrency\": 1, \"requests\":\n"
      "    [{\"id\": \"a\", \"at_ms\": 0, \"cost\": 1, \"duration_ms\": 500}]}' | retrystorm "
      "admit");
  return {app, [] { return run(); }};
}

}  // namespace retrystorm
