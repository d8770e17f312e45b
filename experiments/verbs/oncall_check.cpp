// retrystorm oncall-check: the on-call model's formulas against a queue simulation.
#include "core/error.hpp"
#include "core/files.hpp"
#include "experiments/run/interrupts.hpp"
#include "experiments/verbs/cli_fields.hpp"
#include "experiments/verbs/flag_values.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"
#include "model/oncall/check.hpp"

#include <memory>
#include <stdexcept>

#include <fmt/format.h>

namespace retrystorm {
namespace {

struct Flags {
  std::string instances = "1";
  std::string seed = "1";
  std::string seeds = "40";
  std::string model;
  std::string format = "table";
  bool json = false;
};

oncall::Check checked(const Flags& flags, const oncall::Constants& constants, int instances,
                      std::uint32_t seed, std::uint32_t seeds) {
  Interrupts interrupts;
  try {
    return oncall::run_check(constants, instances, seed, seeds,
                             [&] { return interrupts.count() > 0; });
  } catch (const std::length_error& error) {
    throw InvalidInput(
        flags.model.empty() ? command_line : flags.model, "",
        fmt::format("{}; rates, objects or --instances must be smaller", error.what()));
  }
}

int run(const Flags& flags) {
  const oncall::Constants constants =
      flags.model.empty() ? oncall::Constants{}
                          : oncall::constants_from_toml(read_file(flags.model), flags.model);
  const auto instances = static_cast<int>(whole_flag("--instances", flags.instances, 1, 100));
  const auto seed = static_cast<std::uint32_t>(whole_flag("--seed", flags.seed, 0, 4'000'000'000));
  const auto seeds = static_cast<std::uint32_t>(whole_flag("--seeds", flags.seeds, 1, 100'000));
  const std::string format = flags.json ? "json" : flags.format;
  if (format != "table" && format != "markdown" && format != "csv" && format != "json") {
    throw InvalidInput(command_line, "--format", "must be table, markdown, csv or json");
  }
  const oncall::Check check = checked(flags, constants, instances, seed, seeds);
  write_output(format == "markdown" ? to_markdown(check)
               : format == "csv"    ? to_csv(check)
               : format == "json"   ? to_json_text(check)
                                    : to_table(check));
  return check.interrupted ? exit_interrupted : exit_done;
}

}  // namespace

Verb oncall_check_verb(Command program) {
  Command app = program.add_subcommand(
      "oncall-check", "Hold the on-call model's formulas against a queue simulation");
  auto flags = std::make_shared<Flags>();
  app.add_option("--instances", flags->instances,
                 "fleet to simulate; traffic, cache and database are scaled to it")
      .type_name("N")
      .capture_default_str();
  app.add_option("--seed", flags->seed, "the first seed").type_name("N").capture_default_str();
  app.add_option("--seeds", flags->seeds, "minutes simulated for each case")
      .type_name("N")
      .capture_default_str();
  app.add_option("--model", flags->model, "TOML with constants to use in place of the published")
      .type_name("FILE")
      .not_empty();
  Flag format = app.add_option("--format", flags->format, "table, markdown, csv or json")
                    .type_name("FORMAT")
                    .capture_default_str();
  app.add_flag("--json", flags->json, "the same as --format json").excludes(format);
  app.footer(
      "Simulates single minutes of one instance (16 workers, a TTL cache, a database with a limit "
      "of\n"
      "its own) request by request and compares delay, timeouts and utilization with the formulas\n"
      "that `retrystorm oncall` computes with. Both are a teaching model's, not for operational\n"
      "decisions. docs/oncall.md says where the textbook is wrong.\n"
      "Exit codes: 0 done, 2 the input is invalid, 3 the answer cannot be written, 130 "
      "interrupted\n"
      "(cases so far are printed).\n"
      "Examples:\n"
      "  retrystorm oncall-check\n"
      "  retrystorm oncall-check --seeds 100 --format markdown\n"
      "  retrystorm oncall-check --instances 10 --json");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace retrystorm
