// retrystorm serve: the bounded-queue service.
#include "service/serve.hpp"

#include "core/cores.hpp"
#include "core/error.hpp"
#include "core/ledger.hpp"
#include "experiments/verbs/cli_fields.hpp"
#include "experiments/verbs/verb.hpp"

#include <memory>

namespace retrystorm {
namespace {

struct Flags {
  std::unique_ptr<FieldFlags> fields;
  std::string listen = "127.0.0.1:8080";
  std::string metrics = "127.0.0.1:9101";
  std::string token;
  ServeOptions options;
};

int run(Flags& flags) {
  ServeOptions& options = flags.options;
  options.scenario = flags.fields->scenario();
  options.listen = parse_address(flags.listen, "--listen");
  options.metrics.reset();
  if (flags.metrics != "off") options.metrics = parse_address(flags.metrics, "--metrics");
  if (!flags.token.empty()) {
    const auto token = parse_token(flags.token);
    if (!token) throw InvalidInput(command_line, "--token", "must be 16 hexadecimal digits");
    options.token = *token;
  }
  return serve(options);
}

}  // namespace

Verb serve_verb(Command program) {
  Command app = program.add_subcommand("serve", "Run the bounded-queue HTTP service");
  auto flags = std::make_shared<Flags>();
  flags->options.threads = half_the_cores();
  app.add_option("--listen", flags->listen, "where to listen; port 0 takes a free one")
      .type_name("ADDRESS:PORT")
      .capture_default_str();
  app.add_option("--metrics", flags->metrics, "where Prometheus scrapes, or off")
      .type_name("ADDRESS:PORT")
      .capture_default_str();
  app.add_option("--ledger", flags->options.ledger, "write a row per arrival into this directory")
      .type_name("DIR")
      .not_empty();
  app.add_option(
         "--token", flags->token,
         "run token: noted in the ledger, and its own requests may say how long their work takes")
      .type_name("HEX")
      .not_empty();
  app.add_option("--threads", flags->options.threads, "loops, each with a thread of its own")
      .range(1, 256)
      .type_name("integer")
      .capture_default_str();
  app.add_flag("--json", flags->options.json, "print JSON lines instead of text");
  flags->fields = std::make_unique<FieldFlags>(
      app, std::vector<std::string_view>{"", "service", "client", "network"});
  app.footer(
      "Examples:\n"
      "  retrystorm serve                                  20 workers, 20 ms, a queue of 100\n"
      "  retrystorm serve --queue auto --timeout 100ms     only as many places as can still "
      "succeed\n"
      "  retrystorm serve --listen 127.0.0.1:0 --metrics off --json");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace retrystorm
