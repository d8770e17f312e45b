// retrystorm report DIR: prints a run's report again, and imports what a killed run left.
#include "core/json.hpp"
#include "experiments/report_table.hpp"
#include "experiments/run_experiment.hpp"
#include "experiments/verb.hpp"

#include <cstdio>
#include <memory>

#include <boost/json/value.hpp>
#include <unistd.h>

namespace retrystorm {
namespace {

struct Flags {
  std::string directory;
  bool json = false;
};

int run(const Flags& flags) {
  const Report report = report_of_directory(flags.directory);
  const std::string text =
      flags.json ? pretty_json(to_json(report))
                 : report_table(report, flags.directory, ::isatty(STDOUT_FILENO) == 1);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_code_of(report);
}

}  // namespace

Verb report_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("report", "Print the report of a run again");
  auto flags = std::make_shared<Flags>();
  app->add_option("DIR", flags->directory, "the run directory")->required();
  app->add_flag("--json", flags->json, "print only JSON");
  app->footer(
      "What a killed run left is imported first; the report then says that it is partial.\n"
      "The ledger can be asked directly: its tables and views are described in\n"
      "experiments/ledger.sql.\n"
      "Exit codes: 0 every arm trusted, 2 no run directory or a damaged one, 3 an arm failed, is\n"
      "not trusted or is missing.\n"
      "Examples:\n"
      "  retrystorm report results/collapse-20250101T120000Z\n"
      "  retrystorm report results/collapse-20250101T120000Z --json | jq "
      "'.arms[].measured.counts'\n"
      "  sqlite3 results/collapse-20250101T120000Z/run.sqlite \\\n"
      "    \"select arm, kind, count from reconciliation where kind = 'abandoned'\"");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace retrystorm
