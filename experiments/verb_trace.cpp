// retrystorm trace DIR [REQUEST]: what one request went through; or a whole run for a trace viewer.
#include "core/error.hpp"
#include "core/json.hpp"
#include "experiments/report_tables.hpp"
#include "experiments/run_directory.hpp"
#include "experiments/run_experiment.hpp"
#include "experiments/trace.hpp"
#include "experiments/verb.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

namespace retrystorm {
namespace {

struct Flags {
  std::string directory;
  std::optional<std::int64_t> request;
  std::string arm;
  std::optional<std::int64_t> repeat;
  std::string format = "text";
  std::string out;
  bool json = false;
};

// The tries to trace: of the arm that is named, or of all; each arm's measured one, or its last.
std::vector<TracedTry> chosen(const Flags& flags, const Report& report) {
  std::vector<TracedTry> tries;
  std::string names;
  for (const ArmReport& arm : report.arms) {
    names += (names.empty() ? "'" : ", '") + arm.name + "'";
    if (!flags.arm.empty() && arm.name != flags.arm) continue;
    const Try* measured = measured_try(arm);
    if (!measured && !arm.tries.empty()) measured = &arm.tries.back();
    if (!measured && !flags.repeat) continue;
    tries.push_back({{arm.name, flags.repeat ? *flags.repeat : measured->key.repeat},
                     arm.scenario.service.workers,
                     {}});
  }
  if (tries.empty()) {
    throw InvalidInput(flags.directory, "--arm",
                       fmt::format("no such arm was run; there are {}", names));
  }
  if (flags.request && tries.size() > 1) {
    throw InvalidInput(flags.directory, "--arm", fmt::format("must be one of {}", names));
  }
  return tries;
}

void read(std::vector<TracedTry>& tries, const Flags& flags, Database& database) {
  for (TracedTry& traced : tries) {
    traced.requests = trace_requests(database, traced.key, flags.request);
    if (!traced.requests.empty()) continue;
    if (flags.request) {
      throw InvalidInput(flags.directory, "REQUEST",
                         fmt::format("no request {} in '{}', try {}; they are numbered from 0",
                                     *flags.request, traced.key.arm, traced.key.repeat));
    }
    throw InvalidInput(
        flags.directory, "--repeat",
        fmt::format("the ledger has nothing of '{}', try {}", traced.key.arm, traced.key.repeat));
  }
}

int run(const Flags& flags) {
  const std::string format = flags.json ? "json" : flags.format;
  if (format != "chrome" && !flags.request) {
    throw InvalidInput("command line", "REQUEST",
                       "must be a request's number; only --format chrome exports a whole run");
  }
  const Report report = report_of_directory(flags.directory);
  std::vector<TracedTry> tries = chosen(flags, report);
  Database database = open_ledger(flags.directory + "/run.sqlite");
  read(tries, flags, database);
  const bool to_file = !flags.out.empty() && flags.out != "-";
  std::string text;
  if (format == "chrome") {
    text = trace_events(tries);
  } else if (format == "svg") {
    text = trace_svg(tries.front().requests.front(), tries.front().key);
  } else if (format == "json") {
    text = pretty_json(to_json(tries.front().requests.front()));
  } else {
    text = trace_text(tries.front().requests.front(), tries.front().key,
                      !to_file && ::isatty(STDOUT_FILENO) == 1);
  }
  if (to_file) {
    write_whole(flags.out, text);
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  return exit_done;
}

}  // namespace

Verb trace_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("trace", "What one request of a run went through");
  auto flags = std::make_shared<Flags>();
  app->add_option("DIR", flags->directory, "the run directory")->required();
  app->add_option("REQUEST", flags->request,
                  "the request's number, from 0; left out, --format chrome exports the whole run");
  app->add_option("--arm", flags->arm, "the arm, if the run has several")->type_name("NAME");
  app->add_option("--repeat", flags->repeat, "which try of the arm (default the measured one)")
      ->type_name("N");
  app->add_option("--format", flags->format, "text, svg, chrome or json")
      ->check(CLI::IsMember({"text", "svg", "chrome", "json"}))
      ->capture_default_str();
  app->add_option("--out", flags->out, "write to this file (default standard output)")
      ->type_name("FILE");
  app->add_flag("--json", flags->json, "the same as --format json");
  app->footer(
      "--format chrome writes the Trace Event Format: open it in ui.perfetto.dev, "
      "chrome://tracing\n"
      "or speedscope.\n"
      "Exit codes: 0 done, 2 no such run, arm or request.\n"
      "Examples:\n"
      "  retrystorm trace results/collapse-20250101T120000Z 3000 --arm 'rate=1200 retries=2'\n"
      "  retrystorm trace results/collapse-20250101T120000Z --arm 'rate=1200 retries=2' \\\n"
      "    --format chrome --out storm.json");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace retrystorm
