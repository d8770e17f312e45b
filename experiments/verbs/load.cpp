// retrystorm load URL: the generator.
#include "loadgen/load.hpp"

#include "core/error.hpp"
#include "core/ledger.hpp"
#include "experiments/verbs/cli_fields.hpp"
#include "experiments/verbs/flag_values.hpp"
#include "experiments/verbs/limit_flags.hpp"
#include "experiments/verbs/verb.hpp"

#include <memory>

namespace retrystorm {
namespace {

struct Flags {
  std::unique_ptr<FieldFlags> fields;
  std::string url;
  std::string metrics = "off";
  std::string token;
  std::string spin = "0ms";
  std::string threads = "auto";
  std::string min_goodput;
  LoadOptions options;
};

int run(Flags& flags) {
  LoadOptions& options = flags.options;
  options.scenario = flags.fields->scenario();
  options.target = parse_url(flags.url, "URL");
  if (flags.metrics != "off") options.metrics = parse_address(flags.metrics, "--metrics");
  if (!flags.token.empty()) {
    const auto token = parse_token(flags.token);
    if (!token) throw InvalidInput(command_line, "--token", "must be 16 hexadecimal digits");
    options.token = *token;
  }
  const auto spin = parse_duration(flags.spin);
  if (!spin || *spin > std::chrono::seconds(1)) {
    throw InvalidInput(command_line, "--spin", "must be a duration such as 60us, at most 1s");
  }
  options.spin = *spin;
  if (flags.threads != "auto") {
    const auto threads = parse_integer(flags.threads);
    if (!threads || *threads < 1 || *threads > 256) {
      throw InvalidInput(command_line, "--threads", "must be from 1 to 256, or auto");
    }
    options.threads = static_cast<std::uint32_t>(*threads);
  }
  if (!flags.min_goodput.empty()) {
    options.min_goodput_ppm = percent_flag("--min-goodput", flags.min_goodput);
  }
  return load(options);
}

}  // namespace

Verb load_verb(Command program) {
  Command app =
      program.add_subcommand("load", "Offer requests to a service on a schedule, or as its users");
  auto flags = std::make_shared<Flags>();
  app.add_option("URL", flags->url,
                 "what to load, such as http://127.0.0.1:8080/ or http://localhost:8080/")
      .required();
  app.add_flag("--allow-remote", flags->options.allow_remote,
               "load a target that is not on the loopback interface");
  app.add_option("--metrics", flags->metrics, "where Prometheus scrapes, or off")
      .type_name("ADDRESS:PORT")
      .capture_default_str();
  app.add_option("--ledger", flags->options.ledger,
                 "write a row per attempt and request into this directory")
      .type_name("DIR")
      .not_empty();
  app.add_option("--token", flags->token, "run token for the id header")
      .type_name("HEX")
      .not_empty();
  app.add_option("--spin", flags->spin,
                 "busy-wait this long before each send (costs CPU, halves the lag)")
      .type_name("duration")
      .capture_default_str();
  app.add_option("--threads", flags->threads,
                 "loops that share the schedule, or auto (half the cores)")
      .type_name("N")
      .capture_default_str();
  app.add_option("--min-goodput", flags->min_goodput,
                 "fail if a smaller share of the offered requests succeeds")
      .type_name("PERCENT")
      .not_empty();
  app.add_flag("--allow-failure", flags->options.allow_failure, "do not fail if nothing succeeds");
  app.add_flag("--hold", flags->options.hold,
               "stay after the end, with the final metrics, until Ctrl-C");
  app.add_flag("--json", flags->options.json, "print only JSON");
  add_limit_flags(app, flags->options.limits, LimitsOf::generator);
  flags->fields = std::make_unique<FieldFlags>(app, std::vector<std::string_view>{"", "client"});
  app.footer(
      "Exit codes: 0 done, 1 nothing succeeded or less than --min-goodput, 2 the arguments are\n"
      "invalid, 3 the load offered was not the load asked for, 130 interrupted (the report is of\n"
      "what was done).\n"
      "Examples:\n"
      "  retrystorm load http://127.0.0.1:8080/ --rate 900 --min-goodput 99.9%\n"
      "  retrystorm load http://127.0.0.1:8080/ --rate 1200 --duration 6s --timeout 100ms\n"
      "  retrystorm load http://127.0.0.1:8080/ --stages 200/s:5s,burst=800/s:3s,200/s:22s\n"
      "  retrystorm load http://127.0.0.1:8080/ --users 60 --think 20ms\n"
      "  retrystorm load http://127.0.0.1:8080/ --rate 1200 --retries 2 --json");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace retrystorm
