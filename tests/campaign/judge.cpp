#include "tests/campaign/judge.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "core/scenario_toml.hpp"
#include "model/engines.hpp"
#include "model/honours.hpp"
#include "tests/campaign/agree.hpp"
#include "tests/campaign/books.hpp"
#include "tests/campaign/budget.hpp"
#include "tests/campaign/program.hpp"
#include "tests/campaign/watch.hpp"

#include <algorithm>
#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm::campaign {
namespace {

// What is wrong with a refusal's text; empty if it is one clear line.
std::string unclear(const std::string& line, const Case& c) {
  if (line.empty()) return "is refused without a word";
  if (line.size() > 1500) return fmt::format("is refused in {} bytes", line.size());
  // printable() leaves alone what is one line of UTF-8.
  if (printable(line, line.size() + 1) != line) return "is refused in more than one line: " + line;
  if (line.find(c.named) == line.npos) {
    return fmt::format("is refused without naming {}: {}", c.named, line);
  }
  return {};
}

class Judge {
 public:
  Judge(const Case& c, const Judgement& how, Tried& tried) : case_(c), how_(how), tried_(tried) {}

  std::vector<Fault> run() {
    ++tried_.cases;
    if (const auto scenario = read()) {
      if (case_.flaw.empty()) {
        answered(*scenario);
      } else {
        fault("accepted", fmt::format("{}: is accepted", case_.flaw));
      }
    }
    return std::move(faults_);
  }

 private:
  void fault(std::string kind, std::string text) {
    faults_.push_back({std::move(kind), std::move(text)});
  }

  // The scenario, if it is one; the refusal judged, if not.
  std::optional<Scenario> read() {
    try {
      return scenario_of(case_);
    } catch (const InvalidInput& error) {
      ++tried_.refused;
      if (const std::string what = unclear(error.what(), case_); !what.empty()) {
        fault("refusal", fmt::format("{} {}", case_.flaw, what));
      }
      if (how_.by_program) by_program(std::nullopt);
    } catch (const std::exception& error) {
      fault("exception", fmt::format("reading throws {}", error.what()));
    }
    return std::nullopt;
  }

  void answered(const Scenario& s) {
    ++tried_.answered;
    if (to_json(scenario_written_and_read(s)) != to_json(s)) {
      fault("toml", "written as TOML and read back it is another scenario");
    }
    std::vector<Tally> answers;
    for (const Predictor& p : predictors()) {
      if (const auto answer = ask(p.engine, s)) answers.push_back(*answer);
    }
    watched("agreement", [&] {
      for (std::string& part : parted(s, answers)) {
        // Which two and which count: shrinking looks for the same.
        const std::string kind = part.substr(0, part.find(':'));
        fault("agreement " + kind, std::move(part));
      }
    });
    tried_.compared += answers.size() < 2 ? 0 : answers.size() * (answers.size() - 1) / 2;
    if (how_.by_program) by_program(s);
  }

  static Scenario scenario_written_and_read(const Scenario& s) {
    Scenario again;
    read_scenario(again, scenario_to_toml(s), "written");
    return again;
  }

  // The engine's answer, judged; nothing where it refuses, as it must where it does not model all.
  std::optional<Tally> ask(Engine engine, const Scenario& s) {
    if (!affordable(engine, s)) {
      ++tried_.unaffordable;
      return std::nullopt;
    }
    const bool models = unmodelled(engine, s).empty();
    const std::string who(name(engine));
    std::optional<Tally> exact;
    watched(who, [&] { exact = answer(engine, s, false, who); });
    if (exact && !models) fault("honours " + who, who + " answers what it says it does not model");
    if (exact) return exact;
    std::optional<Tally> rough;
    watched(who + " --approximate", [&] { rough = answer(engine, s, true, who); });
    if (rough && !models && rough->approximations.empty()) {
      fault("approximations " + who, who + " approximates and does not say so");
    }
    return std::nullopt;
  }

  std::optional<Tally> answer(Engine engine, const Scenario& s, bool approximate,
                              const std::string& who) {
    PredictOptions options;
    options.approximate = approximate;
    try {
      const Tally tally = predict(engine, s, options);
      ++tried_.answers;
      for (std::string& what : wrong_in_books(tally, s)) fault("books " + who, std::move(what));
      for (std::string& what : broken_identities(tally.counts)) {
        fault("books " + who, who + ": " + what);
      }
      const std::string bytes = pretty_json(to_json(tally));
      if (pretty_json(to_json(predict(engine, s, options))) != bytes) {
        fault("same bytes " + who, who + " answers the same seed differently");
      }
      if (pretty_json(to_json(tally_from_json({parse_json(bytes, who), who}))) != bytes) {
        fault("json " + who, who + ": its JSON does not read back as what was written");
      }
      return tally;
    } catch (const InvalidInput& error) {
      if (const std::string what = unclear(error.what(), {}); !what.empty()) {
        fault("refusal " + who, who + " " + what);
      }
    } catch (const std::exception& error) {
      fault("exception " + who, fmt::format("{} throws {}", who, error.what()));
    }
    return std::nullopt;
  }

  // The verbs read what was read here: the same line, the same bytes.
  void by_program(const std::optional<Scenario>& s) {
    if (s && !(affordable(Engine::simulate, *s) && unmodelled(Engine::simulate, *s).empty()))
      return;
    ++tried_.by_program;
    const Said said = predict_by_program(case_);
    if (!said.trouble.empty()) {
      fault("program", "the program " + said.trouble);
    } else if (!s) {
      refused("the program", said);
      if (const auto flags = predict_by_flags(case_)) refused("the program, by its flags,", *flags);
    } else {
      const std::string bytes = pretty_json(to_json(predict(Engine::simulate, *s)));
      if (said.code != exit_done || said.out != bytes || !said.error.empty()) {
        fault("program answers",
              fmt::format("the program ends with {} and other bytes: {}", said.code, said.error));
      }
    }
  }

  void refused(const std::string& who, const Said& said) {
    if (said.code == exit_invalid && said.out.empty() && said.lines == 1 &&
        said.error.starts_with("retrystorm: ") && said.trouble.empty()) {
      return;
    }
    fault("program refuses",
          fmt::format("{} ends with {}, {} bytes of output and {} lines of errors: {} {}", who,
                      said.code, said.out.size(), said.lines, said.error, said.trouble));
  }

  // Lets it take its time, but not for ever.
  template <typename F>
  void watched(const std::string& what, F&& f) {
    const Watch watch(
        fmt::format("no answer within {} s: {}\n  {}\n", patience_s, what, arguments_of(case_)),
        patience_s);
    f();
  }

  const Case& case_;
  const Judgement& how_;
  Tried& tried_;
  std::vector<Fault> faults_;
};

}  // namespace

std::vector<Fault> judge(const Case& c, const Judgement& how, Tried& tried) {
  return Judge(c, how, tried).run();
}

}  // namespace retrystorm::campaign
