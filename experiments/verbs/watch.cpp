// retrystorm watch DIR: the live page over a run that is over.
#include "core/error.hpp"
#include "experiments/evidence/run_directory.hpp"
#include "experiments/run/prometheus/live_page.hpp"
#include "experiments/run/prometheus/server.hpp"
#include "experiments/verbs/cli_fields.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

namespace retrystorm {
namespace {

struct Flags {
  std::string directory;
  std::string listen = "127.0.0.1:0";
};

int run(const Flags& flags) {
  const std::string kept = flags.directory + "/prometheus";
  std::error_code error;
  for (const char* part : {"/data", "/page"}) {
    if (std::filesystem::is_directory(kept + part, error)) continue;
    throw InvalidInput(flags.directory, "DIR",
                       fmt::format("must be the directory of a run made with --prometheus or "
                                   "--watch: it has no prometheus{}",
                                   part));
  }
  const RunDirectory directory = RunDirectory::open(flags.directory);
  PrometheusOptions options;
  options.listen = parse_address(flags.listen, "--listen");
  options.flag = "--listen";
  prometheus_program();
  check_free(options.listen, "--listen");
  end_page(kept + "/page");
  options.run_file = kept + "/page/run.json";
  options.scrape = false;
  Interrupts interrupts;
  PrometheusServer prometheus(kept, options, interrupts);
  write_output(prometheus.page() + "\n");
  end_output();
  prometheus.stay();
  return exit_done;
}

}  // namespace

Verb watch_verb(Command program) {
  Command app = program.add_subcommand("watch", "Show a run that is over on the live page");
  auto flags = std::make_shared<Flags>();
  app.add_option("DIR", flags->directory, "directory of a run made with --prometheus or --watch")
      .required();
  app.add_option("--listen", flags->listen, "where the page is served; port 0 takes a free one")
      .type_name("ADDRESS:PORT")
      .capture_default_str();
  app.footer(
      "Prints the address of the page and serves it until Ctrl-C. A run that is going on serves\n"
      "its own page: see retrystorm run --watch.\n"
      "Example:\n"
      "  retrystorm watch results/collapse-20260101T120000Z");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace retrystorm
