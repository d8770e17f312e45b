// retrystorm trace DIR [REQUEST]: what one request went through; or a whole run for a trace viewer.
#include "core/error.hpp"
#include "core/json.hpp"
#include "experiments/evidence/stored_run.hpp"
#include "experiments/report/stored_report.hpp"
#include "experiments/report/tables.hpp"
#include "experiments/report/trace/trace_pictures.hpp"
#include "experiments/verbs/answer_output.hpp"
#include "experiments/verbs/verb.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr std::int64_t most_whole = std::int64_t{1} << 53;

struct Flags {
  std::string directory;
  std::optional<std::int64_t> request;
  std::string arm;
  std::optional<std::int64_t> try_number;
  std::string format = "text";
  std::string out;
  bool json = false;
};

bool has_try(const ArmReport& arm, std::int64_t try_number) {
  return std::any_of(arm.tries.begin(), arm.tries.end(),
                     [&](const Try& t) { return t.key.try_number == try_number; });
}

// The try of an arm that is meant: the one asked for, or the measured one, or the last.
std::optional<TryKey> try_of(const ArmReport& arm, const std::optional<std::int64_t>& try_number) {
  if (try_number) {
    return has_try(arm, *try_number) ? std::optional(TryKey{arm.name, *try_number}) : std::nullopt;
  }
  if (const Try* measured = measured_try(arm)) return measured->key;
  return arm.tries.empty() ? std::nullopt : std::optional(arm.tries.back().key);
}

// The tries to trace: of the arm that is named, or of all.
std::vector<TracedTry> chosen(const Flags& flags, const Report& report) {
  std::vector<TracedTry> tries;
  std::string names;
  bool known = flags.arm.empty();
  for (const ArmReport& arm : report.arms) {
    names += (names.empty() ? "'" : ", '") + arm.name + "'";
    known = known || arm.name == flags.arm;
    if (!flags.arm.empty() && arm.name != flags.arm) continue;
    const auto key = try_of(arm, flags.try_number);
    if (key) tries.push_back({*key, arm.scenario.service.workers, {}});
  }
  if (!known) {
    throw InvalidInput(flags.directory, "--arm", fmt::format("no such arm; there are {}", names));
  }
  if (tries.empty()) {
    throw InvalidInput(flags.directory, flags.try_number ? "--try" : "--arm",
                       flags.try_number
                           ? fmt::format("no try {}; they are numbered from 0", *flags.try_number)
                           : std::string("nothing was run that could be traced"));
  }
  if (flags.request && tries.size() > 1) {
    throw InvalidInput(flags.directory, "--arm", fmt::format("must be one of {}", names));
  }
  return tries;
}

void read(std::vector<TracedTry>& tries, const Flags& flags, Database& database) {
  std::size_t found = 0;
  for (TracedTry& traced : tries) {
    traced.requests = trace_requests(database, traced.key, flags.request);
    found += traced.requests.size();
  }
  if (found > 0) return;
  const TryKey& key = tries.front().key;
  if (flags.request) {
    throw InvalidInput(flags.directory, "REQUEST",
                       fmt::format("no request {} in '{}', try {}; they are numbered from 0",
                                   *flags.request, key.arm, key.try_number));
  }
  throw InvalidInput(flags.directory, "run.sqlite",
                     fmt::format("holds nothing of '{}', try {}", key.arm, key.try_number));
}

int run(const Flags& flags) {
  const std::string format = flags.json ? "json" : flags.format;
  if (format != "chrome" && !flags.request) {
    throw InvalidInput(command_line, "REQUEST",
                       "must be a request's number; only --format chrome exports a whole run");
  }
  check_out(flags.out);
  const Report report = report_of_directory(flags.directory);
  std::vector<TracedTry> tries = chosen(flags, report);
  std::optional<Database> ledger = ledger_of_directory(flags.directory);
  if (!ledger) {
    throw InvalidInput(flags.directory, "run.sqlite",
                       "must be the run's ledger; there is none, and no arms/ to make it from");
  }
  read(tries, flags, *ledger);
  std::string text;
  if (format == "chrome") {
    text = trace_events(tries);
  } else if (format == "svg") {
    text = trace_svg(tries.front().requests.front(), tries.front().key);
  } else if (format == "json") {
    text = pretty_json(to_json(tries.front().requests.front()));
  } else {
    text =
        trace_text(tries.front().requests.front(), tries.front().key, goes_to_terminal(flags.out));
  }
  write_answer(flags.out, text);
  return exit_done;
}

}  // namespace

Verb trace_verb(Command program) {
  Command app = program.add_subcommand("trace", "What one request of a run went through");
  auto flags = std::make_shared<Flags>();
  app.add_option("DIR", flags->directory, "the run directory").required();
  app.add_option("REQUEST", flags->request,
                 "the request's number, from 0; left out, --format chrome exports the whole run")
      .range(0, most_whole);
  app.add_option("--arm", flags->arm, "the arm, if the run has several")
      .type_name("NAME")
      .not_empty();
  // --repeat: its name in earlier versions.
  app.add_option("--try,--repeat", flags->try_number,
                 "which try of the arm, from 0 (default the measured one)")
      .type_name("N")
      .range(0, most_whole);
  Flag format = app.add_option("--format", flags->format, "text, svg, chrome or json")
                    .one_of({"text", "svg", "chrome", "json"})
                    .capture_default_str();
  app.add_option("--out", flags->out, "write to this file (default standard output)")
      .type_name("FILE")
      .not_empty();
  app.add_flag("--json", flags->json, "the same as --format json").excludes(format);
  app.footer(
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
