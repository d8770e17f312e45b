// retrystorm predict: the same scenario, answered without sockets.
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"
#include "core/number_text.hpp"
#include "core/recordings.hpp"
#include "core/standard_error.hpp"
#include "core/wrapped_text.hpp"
#include "experiments/verbs/cli_fields.hpp"
#include "experiments/verbs/experiment_path.hpp"
#include "experiments/verbs/first_interrupt.hpp"
#include "experiments/verbs/predict_answer.hpp"
#include "experiments/verbs/predict_table.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"
#include "model/disagreements.hpp"
#include "model/engines.hpp"
#include "model/honours.hpp"
#include "model/sweep.hpp"

#include <algorithm>
#include <memory>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <unistd.h>

namespace retrystorm {
namespace {
namespace json = boost::json;

struct Flags {
  std::unique_ptr<FieldFlags> fields;
  std::string file;
  std::vector<std::string> engines;
  std::string sweep;
  PredictOptions options;
  bool all_engines = false;
  bool allow_slow = false;
  bool csv = false;
  bool json = false;
};

std::vector<Engine> asked_engines(const Flags& flags) {
  std::vector<Engine> engines;
  for (const std::string& name : flags.engines) {
    const auto engine = predictor_named(name);
    if (!engine) {
      throw InvalidInput(
          command_line, "--engine",
          fmt::format("must be simulate, fluid, stationary or markov; got '{}'", printable(name)));
    }
    engines.push_back(*engine);
  }
  if (engines.empty()) {
    for (const Predictor& predictor : predictors()) engines.push_back(predictor.engine);
  }
  return engines;
}

// Who answers best comes first: the simulation, whose very counts are a run's; but for a run whose
// expectation is exact, that, and not one sample.
std::vector<Engine> best_first(std::vector<Engine> engines, const Scenario& scenario,
                               const PredictOptions& options) {
  const bool sample = is_random(scenario) && options.seeds == 1;
  if (sample && scenario.client.retries == 0 && unmodelled(Engine::markov, scenario).empty()) {
    std::stable_partition(engines.begin(), engines.end(),
                          [](Engine engine) { return engine == Engine::markov; });
  }
  return engines;
}

// Each engine's answer, or only the `first`; a refusal is an answer too where several were asked.
std::vector<EngineAnswer> ask(const std::vector<Engine>& engines, const Scenario& scenario,
                              const PredictOptions& options, bool first) {
  std::vector<EngineAnswer> answers;
  for (const Engine engine : engines) {
    if (first && !answers.empty() && answers.back().tally) break;
    EngineAnswer answer{std::string(engine_names[static_cast<std::size_t>(engine)]), {}, {}};
    try {
      answer.tally = predict(engine, scenario, options);
    } catch (const InvalidInput& error) {
      if (engines.size() == 1) throw;
      answer.refusal = error.what();
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

// Where the answers part, and why.
std::vector<std::string> disagreements_of(const Scenario& scenario,
                                          const std::vector<EngineAnswer>& answers) {
  std::vector<Tally> tallies;
  for (const EngineAnswer& answer : answers) {
    if (answer.tally) tallies.push_back(*answer.tally);
  }
  return disagreements(scenario, tallies);
}

// The answer's JSON; null for none.
template <typename Answer>
json::value or_null(const std::optional<Answer>& answer) {
  return answer ? to_json(*answer) : json::value();
}

json::value arm_json(const Arm& arm, const std::vector<EngineAnswer>& engines,
                     const PredictOptions& options) {
  json::object tallies;
  json::object refused;
  for (const EngineAnswer& answer : engines) {
    if (answer.tally) {
      tallies[answer.engine] = to_json(*answer.tally);
    } else {
      refused[answer.engine] = answer.refusal;
    }
  }
  const Answers answers = answers_for(arm.scenario, engines, options, true);
  return {{"name", arm.name},
          {"scenario", to_json(arm.scenario)},
          {"answer", first_json(answers)},
          {"predicted", std::move(tallies)},
          {"refused", std::move(refused)},
          {"folds", or_null(answers.folds.value)},
          {"metastable", or_null(answers.metastable.value)},
          {"disagreements", json::value_from(disagreements_of(arm.scenario, engines))},
          {"advice", or_null(answers.advice.value)},
          {"defaults", json::value_from(fields_at_default(arm.scenario))}};
}

// The answers, then the figures: of the best engine, or side by side, as was asked.
void print_arm(const Arm& arm, const std::vector<EngineAnswer>& engines, const Flags& flags) {
  const bool all = flags.all_engines || !flags.engines.empty();
  if (!arm.name.empty()) write_output(arm.name + "\n");
  const Answers answers = answers_for(arm.scenario, engines, flags.options, all);
  write_output(first_lines(arm.scenario, answers) + "\n");
  write_output(engines_table(engines, look_of(STDOUT_FILENO).width));
  for (const std::string& sentence : disagreements_of(arm.scenario, engines)) {
    write_output(explained("differ", sentence));
  }
  if (all) write_output(further_lines(arm.scenario, answers));
  write_output(defaults_line(arm.scenario));
  if (!all) {
    write_output(explained("more",
                           "--all-engines: every engine's figures side by side, what each "
                           "single change would buy, how long a collapse lasts"));
  }
}

int print_sweep(const Flags& flags, const Scenario& base, const std::vector<Engine>& engines) {
  if (engines.size() != 1 && !flags.engines.empty()) {
    throw InvalidInput(command_line, "--engine", "a sweep takes one engine");
  }
  const Engine engine = engines.front();
  const Sweep range = parse_sweep(flags.sweep, "--sweep");
  const Effort most = flags.allow_slow ? any_effort() : Effort{usual_most_of_sweep, {}};
  require_affordable("sweep", sweep_cost(base, range, engine, flags.options), most);
  const FirstInterrupt interrupt;
  PredictOptions options = flags.options;
  options.effort.stop = FirstInterrupt::stop();
  const std::vector<SweepStep> steps =
      sweep(base, range, predict_with(engine, options), options.effort.stop);
  const auto found = knee(range, steps);
  if (flags.json) {
    json::array list;
    for (const SweepStep& step : steps) {
      list.push_back({{"value", to_text(step.value)}, {"tally", to_json(step.tally)}});
    }
    const json::value document{
        {"engine", std::string(engine_names[static_cast<std::size_t>(engine)])},
        {"field", range.field},
        {"steps", std::move(list)},
        {"knee", or_null(found)}};
    write_output(pretty_json(document));
  } else if (flags.csv) {
    write_output(sweep_csv(range, steps));
  } else {
    write_output(sweep_table(range, steps, look_of(STDOUT_FILENO).width));
    write_output(unsettled_text(steps));
    if (found) {
      write_output(explained(
          "knee", fmt::format("{}/s is the highest load that keeps 99 % of what is offered "
                              "(settled goodput {}/s)",
                              rate_text(found->rate), rate_text(found->goodput_per_s))));
    } else if (range.field == "client.rate") {
      write_output(explained("knee",
                             "none: the first load of the sweep already keeps less than "
                             "99 %, does not settle or exceeds the ceiling"));
    }
  }
  if (!FirstInterrupt::came()) return exit_done;
  say(fmt::format("retrystorm: interrupted after {} of {} steps\n", steps.size(),
                  range.values.size()));
  return exit_interrupted;
}

std::vector<Arm> asked_arms(const Flags& flags) {
  if (flags.file.empty()) {
    Scenario scenario;
    flags.fields->apply(scenario);
    Recordings().read_into(scenario);
    validate(scenario, command_line);
    return {{"", scenario}};
  }
  Experiment experiment = experiment_from_file(experiment_path(flags.file, installed_scenarios()));
  override_fields(experiment, flags.fields->given());
  return arms_of(experiment, flags.file);
}

int run(Flags& flags) {
  if (flags.csv && flags.json) {
    throw InvalidInput(command_line, "--csv", "is another form than --json: give one of them");
  }
  if (flags.csv && flags.sweep.empty()) {
    throw InvalidInput(command_line, "--csv", "is a form of a --sweep");
  }
  if (flags.all_engines && !flags.engines.empty()) {
    throw InvalidInput(command_line, "--all-engines", "is all of them: leave out --engine");
  }
  if (flags.allow_slow) flags.options.effort = any_effort();
  const std::vector<Engine> engines = asked_engines(flags);
  const bool first = flags.engines.empty() && !flags.all_engines && !flags.json;
  const std::vector<Arm> arms = asked_arms(flags);
  if (!flags.sweep.empty()) {
    if (arms.size() != 1)
      throw InvalidInput(command_line, "--sweep", "needs one scenario, not several arms");
    return print_sweep(flags, arms.front().scenario, engines);
  }
  json::array list;
  for (const Arm& arm : arms) {
    const std::vector<EngineAnswer> answers =
        ask(first ? best_first(engines, arm.scenario, flags.options) : engines, arm.scenario,
            flags.options, first);
    // One scenario and one engine: the tally, as any engine's.
    if (flags.json && arms.size() == 1 && engines.size() == 1) {
      write_output(pretty_json(to_json(*answers.front().tally)));
      return exit_done;
    }
    if (flags.json) {
      list.push_back(arm_json(arm, answers, flags.options));
    } else {
      if (&arm != &arms.front()) write_output("\n");
      print_arm(arm, answers, flags);
    }
  }
  if (flags.json) write_output(pretty_json(json::object{{"arms", std::move(list)}}));
  return exit_done;
}

}  // namespace

Verb predict_verb(Command program) {
  Command app = program.add_subcommand("predict", "Answer a scenario without sockets");
  auto flags = std::make_shared<Flags>();
  app.add_option("EXPERIMENT", flags->file,
                 "TOML file with scenario, matrix and arms, or the name of an installed one "
                 "(default: the published bench)")
      .not_empty();
  app.add_option("--engine", flags->engines,
                 "simulate, fluid, stationary or markov; may be given several times")
      .type_name("ENGINE")
      .delimiter(',');
  app.add_flag("--all-engines", flags->all_engines,
               "every engine that answers, side by side, and all that is known beside");
  app.add_option("--seeds", flags->options.seeds,
                 "simulate under so many seeds: means, with their spread")
      .type_name("N")
      .range(1, 100000)
      .capture_default_str();
  app.add_flag("--approximate", flags->options.approximate,
               "let an engine answer all the same where it does not model a field, and say what "
               "it left out");
  app.add_flag("--allow-slow", flags->allow_slow,
               "answer too what takes longer than some seconds, or more memory than usual");
  app.add_option("--sweep", flags->sweep,
                 "move one field through a range: client.rate=600..1600:20")
      .type_name("FIELD=FROM..TO:STEP")
      .not_empty();
  app.add_flag("--csv", flags->csv, "print a sweep as CSV");
  app.add_flag("--json", flags->json, "print only JSON");
  flags->fields = std::make_unique<FieldFlags>(app, field_tables(), FieldFlags::Base::experiment);
  app.footer(
      "Ctrl-C ends a sweep with the steps done so far and exit code 130.\n"
      "Examples:\n"
      "  retrystorm predict --rate 1200 --retries 2\n"
      "  retrystorm predict --engine simulate --stages 800/s:5s,burst=1600/s:1s,800/s:20s\n"
      "  retrystorm predict collapse.toml --engine simulate --json\n"
      "  retrystorm predict markovian.toml --all-engines\n"
      "  retrystorm predict --sweep client.rate=600..1600:20 --csv");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace retrystorm
