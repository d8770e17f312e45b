// retrystorm report DIR: a run's report in the format that is asked for; imports what a killed run
// left.
#include "core/error.hpp"
#include "core/standard_error.hpp"
#include "experiments/report/formats/format.hpp"
#include "experiments/report/stored_report.hpp"
#include "experiments/verbs/answer_output.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace retrystorm {
namespace {

struct Flags {
  std::string directory;
  std::string format = "table";
  std::string out;
  bool json = false;
};

ReportFormat format_of(const Flags& flags) {
  if (flags.json) return ReportFormat::json;
  const auto found =
      std::find(report_format_names.begin(), report_format_names.end(), flags.format);
  return static_cast<ReportFormat>(found - report_format_names.begin());
}

int run(const Flags& flags) {
  check_out(flags.out);
  // What cannot be stored, on a disk that is full or not to be written to, can be shown all the
  // same.
  try {
    recover_run(flags.directory);
  } catch (const RunFailed& problem) {
    say(fmt::format("retrystorm: not stored: {}\n", problem.what()));
  }
  const Report report = report_of_directory(flags.directory);
  const ReportFormat format = format_of(flags);
  if (format == ReportFormat::html && flags.out.empty()) {
    write_output(printable(write_report_page(report, flags.directory), 4000) + "\n");
    return exit_code_of(report);
  }
  write_answer(flags.out, report_text(report, format, flags.directory, look_of_answer(flags.out)));
  return exit_code_of(report);
}

}  // namespace

Verb report_verb(Command program) {
  Command app =
      program.add_subcommand("report", "The report of a run, as text or as one HTML file");
  auto flags = std::make_shared<Flags>();
  app.add_option("DIR", flags->directory, "the run directory").required();
  Flag format = app.add_option("--format", flags->format, "table, json, html, markdown or csv")
                    .one_of({report_format_names.begin(), report_format_names.end()})
                    .capture_default_str();
  app.add_option("--out", flags->out,
                 "write to this file, or - for standard output (default: standard output, and "
                 "DIR/report.html for html)")
      .type_name("FILE")
      .not_empty();
  app.add_flag("--json", flags->json, "the same as --format json").excludes(format);
  app.footer(
      "What a killed run left is imported first; the report then says that it is partial.\n"
      "A file that is not what the run wrote any more is named, and refused or not trusted.\n"
      "The ledger can be asked directly: its tables and views are described in\n"
      "experiments/evidence/ledger.sql and ledger_views.sql.\n"
      "Exit codes: 0 every arm trusted, 2 no run directory or a damaged one, 3 an arm failed, is\n"
      "not trusted or is missing.\n"
      "Examples:\n"
      "  retrystorm report results/collapse-20250101T120000Z\n"
      "  retrystorm report results/collapse-20250101T120000Z --format html\n"
      "  retrystorm report results/collapse-20250101T120000Z --format markdown --out report.md\n"
      "  retrystorm report results/collapse-20250101T120000Z --json | jq "
      "'.arms[].measured.counts'\n"
      "  sqlite3 results/collapse-20250101T120000Z/run.sqlite \\\n"
      "    \"select arm, repeat, abandoned, completed from abandoned_completions\"");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace retrystorm
