// retrystorm oncall: a morning of the on-call model, or many of them.
#include "core/error.hpp"
#include "core/files.hpp"
#include "experiments/run/interrupts.hpp"
#include "experiments/verbs/cli_fields.hpp"
#include "experiments/verbs/flag_values.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"
#include "model/oncall/assumptions.hpp"
#include "model/oncall/morning.hpp"
#include "model/oncall/print.hpp"
#include "model/oncall/script.hpp"
#include "model/oncall/study.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>

namespace retrystorm {
namespace {

struct Flags {
  std::string scenario = "steady";
  std::string seed = "1";
  std::string seeds = "200";
  std::string who = "none";
  std::string operators;
  std::string until;
  std::string model;
  std::string format = "table";
  std::string every = "1";
  bool json = false;
  bool print_model = false;
  bool assumptions = false;
};

[[noreturn]] void refuse(std::string_view flag, std::string_view remedy) {
  throw InvalidInput(command_line, flag, remedy);
}

oncall::Operator operator_of(std::string_view flag, const std::string& text,
                             const oncall::Day& day) {
  const auto& names = oncall::operator_names;
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) {
    return oncall::operator_of(static_cast<std::size_t>(found - names.begin()));
  }
  if (!text.ends_with(".toml")) {
    refuse(flag, fmt::format("must be {} or a script, FILE.toml", fmt::join(names, ", ")));
  }
  return oncall::ScriptedOperator(oncall::script_from_toml(read_file(text), text, day));
}

std::vector<oncall::NamedOperator> operators_of(const std::string& text, const oncall::Day& day) {
  std::vector<oncall::NamedOperator> operators;
  const auto add = [&](const std::string& name) {
    for (const auto& one : operators) {
      if (one.name == name) refuse("--operators", "must name each operator once");
    }
    operators.push_back({name, operator_of("--operators", name, day)});
  };
  if (text == "all") {
    for (const std::string_view name : oncall::operator_names) add(std::string(name));
    return operators;
  }
  std::size_t from = 0;
  while (true) {
    const std::size_t comma = text.find(',', from);
    add(text.substr(from, comma - from));
    if (comma == std::string::npos) return operators;
    from = comma + 1;
  }
}

int many(const Flags& flags, const std::string& format, const oncall::Day& day, std::uint32_t seed,
         int until) {
  const auto seeds = whole_flag("--seeds", flags.seeds, 1, 1'000'000);
  if (seed + seeds - 1 > std::numeric_limits<std::uint32_t>::max()) {
    refuse("--seeds", "must keep seed + seeds - 1 within 4294967295");
  }
  Interrupts interrupts;
  const oncall::Study study = oncall::study(day, seed, static_cast<std::uint32_t>(seeds),
                                            operators_of(flags.operators, day), until,
                                            [&] { return interrupts.count() > 0; });
  write_output(format == "csv"    ? to_csv(study)
               : format == "json" ? to_json_text(study)
                                  : to_table(study));
  return study.interrupted ? exit_interrupted : exit_done;
}

int run(const Flags& flags) {
  const oncall::Constants constants =
      flags.model.empty() ? oncall::Constants{}
                          : oncall::constants_from_toml(read_file(flags.model), flags.model);
  if (flags.print_model) {
    write_output(oncall::constants_to_toml(constants));
    return exit_done;
  }
  if (flags.assumptions) {
    write_output(oncall::assumptions_text());
    return exit_done;
  }
  const auto scenario = oncall::parse_scenario(flags.scenario);
  if (!scenario) {
    refuse("--scenario", fmt::format("must be one of {}", fmt::join(oncall::scenario_names, ", ")));
  }
  const oncall::Day day = oncall::day_of(*scenario, constants, flags.model);
  const auto seed = static_cast<std::uint32_t>(
      whole_flag("--seed", flags.seed, 0, std::numeric_limits<std::uint32_t>::max()));
  const int until = flags.until.empty() ? day.closing_clock : oncall::parse_clock(flags.until);
  if (until <= day.opening_clock) {
    refuse("--until", fmt::format("must be a clock time HH:MM after the opening, {}",
                                  oncall::format_clock(day.opening_clock)));
  }
  const std::string format = flags.json ? "json" : flags.format;
  if (format != "table" && format != "csv" && format != "json") {
    refuse("--format", "must be table, csv or json");
  }
  if (!flags.operators.empty()) return many(flags, format, day, seed, until);

  const int every = static_cast<int>(whole_flag("--every", flags.every, 1, 1440));
  const oncall::Title title{*scenario, seed, flags.who};
  const oncall::Morning morning =
      oncall::play(day, seed, operator_of("--operator", flags.who, day), until);
  write_output(format == "csv"    ? to_csv(title, morning)
               : format == "json" ? to_json_text(title, morning)
                                  : to_table(title, morning, every));
  return exit_done;
}

}  // namespace

Verb oncall_verb(Command program) {
  Command app = program.add_subcommand(
      "oncall", "Play a morning on call, minute by minute (a teaching model)");
  auto flags = std::make_shared<Flags>();
  app.add_option("--scenario", flags->scenario, "steady, bad-deploy, surge or cold-cache")
      .type_name("NAME")
      .capture_default_str();
  app.add_option("--seed", flags->seed, "the same seed and operator give the same morning")
      .type_name("N")
      .capture_default_str();
  Flag who =
      app.add_option("--operator", flags->who, "none, textbook, panic or a script, FILE.toml")
          .type_name("WHO")
          .capture_default_str();
  Flag operators = app.add_option("--operators", flags->operators,
                                  "play many mornings: all, or operators separated by commas")
                       .type_name("LIST")
                       .not_empty()
                       .excludes(who);
  app.add_option("--seeds", flags->seeds, "how many mornings for each of --operators")
      .type_name("N")
      .capture_default_str()
      .needs(operators);
  app.add_option("--until", flags->until, "when it ends; the scenario's end unless given")
      .type_name("HH:MM")
      .not_empty();
  app.add_option("--model", flags->model, "TOML with constants to use in place of the published")
      .type_name("FILE")
      .not_empty();
  app.add_flag("--print-model", flags->print_model, "print every constant as TOML and do no more");
  app.add_flag("--assumptions", flags->assumptions,
               "print what the publication leaves open and how it is decided, and do no more");
  Flag format = app.add_option("--format", flags->format, "table, csv or json")
                    .type_name("FORMAT")
                    .capture_default_str();
  app.add_option("--every", flags->every, "minutes between the table's lines")
      .type_name("N")
      .capture_default_str()
      .excludes(operators);
  app.add_flag("--json", flags->json, "the same as --format json").excludes(format);
  app.footer(
      "A load balancer, a fleet, a cache, a database and an error budget, computed from textbook\n"
      "formulas. It is a teaching model with assumptions of its own, not for operational "
      "decisions:\n"
      "docs/oncall.md names them all.\n"
      "A script is a list of moves: [[action]] time = \"09:15\", control = \"rollback\", value = "
      "true;\n"
      "controls are floor, tracking, target, ttl, warm_up, shed, recommendations and rollback.\n"
      "Exit codes: 0 done, 2 the input is invalid, 3 the answer cannot be written, 130 "
      "interrupted\n"
      "(mornings so far are printed).\n"
      "Examples:\n"
      "  retrystorm oncall --scenario bad-deploy --seed 7 --operator textbook --every 10\n"
      "  retrystorm oncall --scenario surge --seed 7 --until 10:30 --format csv\n"
      "  retrystorm oncall --scenario cold-cache --operator script.toml --json\n"
      "  retrystorm oncall --scenario bad-deploy --operators all --seeds 200\n"
      "  retrystorm oncall --print-model > model.toml");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace retrystorm
