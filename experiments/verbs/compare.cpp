// retrystorm compare A B: what changed between two runs, made for CI.
#include "experiments/report/compare/compare.hpp"

#include "core/json.hpp"
#include "core/share.hpp"
#include "experiments/report/stored_report.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"

#include <memory>

#include <boost/json/value.hpp>
#include <unistd.h>

namespace retrystorm {
namespace {

struct Flags {
  std::string a, b;
  double tolerance_percent = 0.5;
  double latency_percent = 5;
  bool all = false;
  bool allow_untrusted = false;
  bool json = false;
};

int run(const Flags& flags) {
  Tolerances tolerances;
  tolerances.attempts_ppm = to_ppm(flags.tolerance_percent / 100);
  tolerances.latency_ppm = to_ppm(flags.latency_percent / 100);
  Comparison comparison =
      compare(report_at(flags.a), report_at(flags.b), tolerances, flags.allow_untrusted);
  comparison.a = flags.a;
  comparison.b = flags.b;
  const std::string text = flags.json
                               ? pretty_json(to_json(comparison))
                               : comparison_text(comparison, flags.all, look_of(STDOUT_FILENO));
  write_output(text);
  return exit_code_of(comparison);
}

}  // namespace

Verb compare_verb(Command program) {
  Command app = program.add_subcommand("compare", "What changed between two runs, for CI");
  auto flags = std::make_shared<Flags>();
  app.add_option("A", flags->a, "the run before: its directory, or a report.json").required();
  app.add_option("B", flags->b, "the run after").required();
  const auto percent = [&](const char* flag, double& value, const char* help) {
    app.add_option(flag, value, help).type_name("percent").within(0, 100).capture_default_str();
  };
  percent("--tolerance", flags->tolerance_percent,
          "least change of a count that matters, as a share of the arm's attempts");
  percent("--latency-tolerance", flags->latency_percent, "least change of a latency that matters");
  app.add_flag("--all", flags->all, "also print what did not change");
  app.add_flag("--allow-untrusted", flags->allow_untrusted, "judge arms that are not trusted");
  app.add_flag("--json", flags->json, "print only JSON");
  app.footer(
      "A figure has changed if its difference is beyond the larger of the floor (--tolerance) and\n"
      "the 99 % confidence interval of the difference of the means over the repeats. Less "
      "goodput,\n"
      "more abandoned work, more amplification, more errors and longer latency are regressions.\n"
      "Exit codes: 0 no regression, 1 an arm is worse or is missing from B, 2 invalid input,\n"
      "3 an arm could not be judged.\n"
      "Examples:\n"
      "  retrystorm compare results/before results/after\n"
      "  retrystorm compare baseline.json results/after --tolerance 1 --json");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace retrystorm
