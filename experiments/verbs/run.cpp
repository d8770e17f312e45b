// retrystorm run EXPERIMENT.toml: measures every arm of an experiment.
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"
#include "core/net/address.hpp"
#include "core/standard_error.hpp"
#include "experiments/report/formats/format.hpp"
#include "experiments/report/formats/table.hpp"
#include "experiments/run/prometheus/alertmanager.hpp"
#include "experiments/run/run_experiment.hpp"
#include "experiments/run/run_progress.hpp"
#include "experiments/verbs/cli_fields.hpp"
#include "experiments/verbs/experiment_path.hpp"
#include "experiments/verbs/limit_flags.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"

#include <cstdio>
#include <memory>

#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <unistd.h>

namespace retrystorm {
namespace {

struct Flags {
  std::unique_ptr<FieldFlags> fields;
  std::string file;
  bool json = false;
  bool prometheus = false;
  bool watch = false;
  bool stay = false;
  std::string prometheus_listen = "127.0.0.1:0";
  std::string alertmanager;
  RunOptions options;
};

void show(const Progress& progress, bool terminal) {
  if (progress.judged == nullptr) {
    if (!terminal) return;
    say(fmt::format("\r{}\x1b[K", progress_line(progress, look_of(STDERR_FILENO).width)));
  } else if (const std::string line = judged_line(progress, terminal); !line.empty()) {
    say(fmt::format("{}{}\n", terminal ? "\r\x1b[K" : "", line));
  }
}

// What --prometheus, --watch and their like ask for.
void settle_prometheus(Flags& flags, const std::function<void(const RunResult&)>& print) {
  RunOptions& options = flags.options;
  if (!flags.prometheus && !flags.watch && !flags.stay) {
    if (!flags.alertmanager.empty()) {
      throw InvalidInput(command_line, "--alertmanager", "needs --prometheus or --watch");
    }
    return;
  }
  prometheus_program();  // whether it is there is known before anything is made
  options.prometheus.emplace();
  options.prometheus->listen = parse_address(flags.prometheus_listen, "--prometheus-listen");
  options.prometheus->flag = "--prometheus-listen";
  check_free(options.prometheus->listen, options.prometheus->flag);
  if (!flags.alertmanager.empty()) {
    options.prometheus->alertmanager = parse_address(flags.alertmanager, "--alertmanager");
    if (const auto problem =
            alertmanager_problem(*options.prometheus->alertmanager, std::chrono::seconds(3));
        !problem.empty()) {
      throw RunFailed(fmt::format("--alertmanager {}; start it first", problem));
    }
  }
  options.say = [](const std::string& line) {
    say(fmt::format("{}{}\n", ::isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "", line));
  };
  if (flags.watch && ::isatty(STDERR_FILENO) == 1) {
    options.say(
        "open the page below in a browser on this machine; from another one, first\n"
        "  ssh -L PORT:127.0.0.1:PORT THIS-MACHINE     with the port of the page");
  }
  if (!flags.stay) return;
  options.stay = [print](const RunResult& result) {
    print(result);
    say("the page stays until Ctrl-C\n");
  };
}

// Without think time a user whom the service refuses asks again at once: what such a run measured
// would be the machine's loopback.
void refuse_refused_users(const Arm& arm) {
  const ClientSettings& client = arm.scenario.client;
  const std::int64_t room = arm.scenario.service.workers + queue_places(arm.scenario);
  if (!client.users || client.think > Duration::zero() || *client.users <= room) return;
  throw InvalidInput(
      arm.name, "client.users",
      fmt::format("must be at most workers + queue ({}) without think time, since a refused user "
                  "asks again every round trip: only `retrystorm predict` follows more; got '{}'",
                  room, *client.users));
}

int run(Flags& flags) {
  Experiment experiment = experiment_from_file(experiment_path(flags.file, installed_scenarios()));
  override_fields(experiment, flags.fields->given());
  // What is unfit is known before anything runs.
  for (const Arm& arm : arms_of(experiment, command_line)) refuse_refused_users(arm);
  if (!parse_address(flags.options.listen, "--listen").loopback()) {
    throw InvalidInput(command_line, "--listen",
                       "must be an address of this machine's loopback, such as 127.0.0.1:0: the "
                       "generator of a run loads no other");
  }
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  bool printed = false;
  const auto print = [&](const RunResult& result) {
    if (terminal) say("\r\x1b[K");
    const std::string text =
        flags.json ? pretty_json(to_json(result.report))
                   : report_table(result.report, result.directory, look_of(STDOUT_FILENO));
    printed = true;
    write_output(text);
    if (!result.not_stored.empty()) {
      end_output();
      throw RunFailed(result.not_stored);
    }
    const std::string page = write_report_page(result.report, result.directory);
    if (!flags.json) write_output(fmt::format("page       {}\n", printable(page, 4000)));
    end_output();
  };
  settle_prometheus(flags, print);
  const RunResult result = run_experiment(
      experiment, flags.options, [&](const Progress& progress) { show(progress, terminal); });
  if (!printed) print(result);
  return result.exit_code;
}

}  // namespace

Verb run_verb(Command program) {
  Command app = program.add_subcommand("run", "Measure every arm of an experiment");
  auto flags = std::make_shared<Flags>();
  app.add_option("EXPERIMENT", flags->file,
                 "TOML file with scenario, matrix and arms, or the name of an installed one")
      .required();
  app.add_option("--repeat", flags->options.repeats, "measure each arm this often")
      .type_name("N")
      .range(1, 1000)
      .capture_default_str();
  app.add_option("--more-tries", flags->options.more_tries,
                 "measure again what is not trusted, at most this often")
      .type_name("N")
      .range(0, 1000)
      .capture_default_str();
  app.add_option("--out", flags->options.out,
                 "run directory, new or empty (default results/NAME-TIMESTAMP)")
      .type_name("DIR")
      .not_empty();
  app.add_option("--listen", flags->options.listen,
                 "where each arm's service listens; port 0 takes a free one")
      .type_name("ADDRESS:PORT")
      .capture_default_str();
  app.add_flag("--prometheus", flags->prometheus,
               "scrape every try with a Prometheus of the run's own, and reconcile with it");
  app.add_flag("--watch", flags->watch,
               "the same, and serve the live page: the run draws itself in a browser");
  app.add_flag("--stay", flags->stay, "the same, and keep serving after the run until Ctrl-C");
  app.add_option("--prometheus-listen", flags->prometheus_listen,
                 "where the live page and its queries are served; port 0 takes a free one")
      .type_name("ADDRESS:PORT")
      .capture_default_str();
  app.add_option("--alertmanager", flags->alertmanager, "an Alertmanager to tell of firing alerts")
      .type_name("ADDRESS:PORT")
      .not_empty();
  app.add_flag("--allow-slow", flags->options.allow_slow,
               "make predictions that take longer than some seconds too");
  app.add_flag("--json", flags->json, "print only JSON");
  add_limit_flags(app, flags->options.limits, LimitsOf::run);
  flags->fields = std::make_unique<FieldFlags>(app, field_tables(), FieldFlags::Base::experiment);
  app.footer(
      "A name without a folder that is no file here is looked for among the scenarios that are\n"
      "installed with the program.\n"
      "A flag of the scenario replaces the experiment's value, in every arm; a field that the\n"
      "matrix varies is narrowed to it. Ctrl-C ends the current arm and keeps what there is.\n"
      "Exit codes: 0 every arm trusted, 2 invalid input, 3 an arm failed or is not trusted,\n"
      "130 interrupted.\n"
      "Examples:\n"
      "  retrystorm run collapse.toml\n"
      "  retrystorm run collapse.toml --rate 1200 --repeat 5\n"
      "  retrystorm run collapse.toml --rate 1200 --watch\n"
      "  retrystorm run small.toml --out /tmp/small --json");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace retrystorm
