// The verbs of the calculators and of the on-call model as a user calls them: what goes in, what
// comes out, and with which exit code.
#include "core/json.hpp"
#include "tests/places.hpp"
#include "tests/temporary_directory.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace retrystorm {
namespace {
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Result {
  int code = 0;
  std::string out;
  std::string error;
};

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Runs the program with `arguments` (as a shell has them, redirections included) and `input` on
// standard input.
Result run(const std::string& arguments, const std::string& input = {}) {
  const TemporaryDirectory directory;
  directory.write("in", input);
  const std::string command = program_path() + " < " + directory.file("in") + " > " +
                              directory.file("out") + " 2> " + directory.file("error") + ' ' +
                              arguments;
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(directory.file("out")),
          content(directory.file("error"))};
}

void expect_refused(const Result& result, const std::string& what) {
  EXPECT_EQ(result.code, 2) << what;
  EXPECT_THAT(result.out, IsEmpty()) << what;
  EXPECT_THAT(result.error, StartsWith("retrystorm: ")) << what;
  EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
}

constexpr const char* requests = R"({"capacity": 2, "tokens_per_second": 2, "concurrency": 1,
  "requests": [{"id": "a", "at_ms": 0, "cost": 1, "duration_ms": 500},
               {"id": "b", "at_ms": 0, "cost": 1, "duration_ms": 100}]})";

TEST(Admit, ReadsRequestsAndWritesTheirDecisions) {
  const Result result = run("admit", requests);
  EXPECT_EQ(result.code, 0) << result.error;
  EXPECT_THAT(result.error, IsEmpty());
  const auto out = parse_json(result.out, "output");
  EXPECT_EQ(out.at("trace").at(1).at("decision"), "concurrency_limit");
  EXPECT_EQ(out.at("credits_at_last_arrival"), 1000);
  EXPECT_EQ(run("admit --json", requests).out, result.out);
}

TEST(Budget, ReadsEventsAndWritesTheBudget) {
  const Result result = run(
      "budget",
      R"({"target_ppm": 900000, "events": [{"eligible": true, "ok": true, "latency_ms": 301}]})");
  EXPECT_EQ(result.code, 0) << "an overspent budget is an answer: " << result.error;
  EXPECT_EQ(parse_json(result.out, "output").at("remaining"), -1);
}

TEST(Calculators, RefuseInvalidInputWithOneLine) {
  for (const char* input : {"", "{", "[]", "nonsense\nin\nlines", "\xEF\xBB\xBF{}", "\xff\xfe",
                            "{\"a\n\": 1}", "{\"a\": 1, \"a\": 2}"}) {
    expect_refused(run("admit", input), std::string("admit: ") + input);
    expect_refused(run("budget", input), std::string("budget: ") + input);
  }
  expect_refused(run("admit", std::string(200'000, '[')), "deep");
  expect_refused(run("budget --target 99.9%", "{}"), "--target without --run");
  expect_refused(run("budget --latency 1ms", "{}"), "--latency without --run");
  expect_refused(run("budget --run /nowhere --target 99.9%"), "no directory");
  expect_refused(run("budget --run /nowhere --target 99.9"), "no per cent");
  expect_refused(run("budget --run /nowhere --target 99.9% --latency 100"), "no unit");
}

constexpr const char* events =
    R"({"target_ppm": 1, "events": [{"eligible": true, "ok": true, "latency_ms": 1}]})";

// A full disk must not look like a success, whether the answer fits the buffer or not.
TEST(Answer, ThatCannotBeWrittenIsNoSuccess) {
  for (const auto& [arguments, input] : {std::pair{"admit", requests},
                                         {"budget", events},
                                         {"capacity --work 40ms --rate 120", ""},
                                         {"capacity --work 40ms --rate 120 --workers 1", ""},
                                         {"oncall", ""},
                                         {"oncall --until 08:01 --json", ""},
                                         {"oncall --operators all --seeds 1", ""},
                                         {"oncall --print-model", ""},
                                         {"oncall --assumptions", ""},
                                         {"oncall-check --seeds 1 --json", ""}}) {
    for (const char* out : {" > /dev/full", " >&-"}) {
      const Result result = run(arguments + std::string(out), input);
      EXPECT_EQ(result.code, 3) << arguments << out;
      EXPECT_EQ(result.error, "retrystorm: standard output: cannot be written\n") << arguments;
    }
  }
}

TEST(Answer, ThatCannotBeWrittenIsNoSuccessOfAnyVerb) {
  for (const char* arguments :
       {"predict --rate 1200", "predict --sweep client.rate=600..1600:20 --csv", "fields", "rules",
        "--help", "run --help", "--version"}) {
    for (const char* out : {" > /dev/full", " >&-"}) {
      const Result result = run(arguments + std::string(out));
      EXPECT_EQ(result.code, 3) << arguments << out;
      EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
    }
  }
}

// Nobody hears the message; the exit code still tells.
TEST(Message, ThatCannotBeWrittenHidesNoExitCode) {
  for (const char* away : {" 2>&-", " 2>/dev/full", " <&- >&- 2>&-"}) {
    EXPECT_EQ(run("report no-such-run" + std::string(away)).code, 2) << away;
    EXPECT_EQ(run("predict --rate 0" + std::string(away)).code, 2) << away;
    EXPECT_EQ(run("load http://127.0.0.1:1/ --duration 10ms --settle 1s" + std::string(away)).code,
              2)
        << away;
  }
  EXPECT_EQ(run("predict > /dev/full 2>&1").code, 3);
}

TEST(Input, WithoutAnEndIsRefusedBeforeItFillsTheMemory) {
  for (const char* verb : {"admit", "budget"}) {
    const Result result = run(std::string(verb) + " < /dev/zero");
    expect_refused(result, verb);
    EXPECT_THAT(result.error, HasSubstr("standard input: is too long"));
  }
}

TEST(Calculators, AnswerALongWalkWithoutKeepingIt) {
  // 2,000 requests that all run at once: a trace of two million ids.
  std::string input =
      R"({"capacity": 9000, "tokens_per_second": 1, "concurrency": 9000, "requests": [)";
  for (int i = 0; i < 2000; ++i) {
    input += (i ? "," : "") + std::string(R"({"id": "r)") + std::to_string(i) +
             R"(", "at_ms": 0, "cost": 1, "duration_ms": 1})";
  }
  const Result result = run("admit", input + "]}");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("\"credits_at_last_arrival\": 7000000"));
}

TEST(Capacity, PrintsEachFigureWithItsFormula) {
  const Result result = run("capacity --work 40ms --rate 120 --share 75% --workers 8 --json");
  EXPECT_EQ(result.code, 0) << result.error;
  const auto figures = parse_json(result.out, "output").at("figures");
  EXPECT_EQ(figures.at("safety_margin").at("value"), 50);
  EXPECT_EQ(figures.at("headroom").at("value"), 30);
  EXPECT_THAT(run("capacity --work 40ms --rate 120/s").out, HasSubstr("ceil(6.4)"));
  EXPECT_EQ(run("capacity --work 40ms --rate 120 --workers 6").code, 1);
  for (const char* bad :
       {"--work 40 --rate 120", "--work 0ms --rate 120", "--work 40ms --rate 0",
        "--work 40ms --rate -1", "--work 40ms --rate 1e3", "--work 40ms --rate 0.0000001",
        "--work 40ms --rate 120 --share 0.75", "--work 40ms --rate 120 --share 101%",
        "--work 40ms --rate 120 --workers ''", "--work 40ms --rate 120 --workers 0",
        "--work 40ms --rate 120 --workers 2.5", "--work 40ms", "--rate 120",
        "--work 40ms --rate 120 --hope"}) {
    expect_refused(run(std::string("capacity ") + bad), bad);
  }
}

TEST(Oncall, PlaysAMorningAsTableCsvAndJson) {
  const Result table = run("oncall --scenario bad-deploy --seed 7 --operator textbook --every 30");
  EXPECT_EQ(table.code, 0) << table.error;
  EXPECT_THAT(table.out, HasSubstr("scenario bad-deploy, seed 7, operator textbook"));
  EXPECT_THAT(table.out, HasSubstr("not for operational decisions"));
  const Result csv = run("oncall --scenario surge --seed 7 --until 08:30 --format csv");
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 2 + 1 + 31);
  const Result json = run("oncall --scenario cold-cache --seed 7 --json");
  EXPECT_EQ(parse_json(json.out, "output").at("minutes").at(0).at("clock"), "11:30");
  EXPECT_EQ(run("oncall --scenario cold-cache --seed 7 --json").out, json.out);
}

TEST(Oncall, TakesAScriptAndAModel) {
  const TemporaryDirectory directory;
  const std::string script =
      directory.write("s.toml", "[[action]]\ntime = \"08:02\"\ncontrol = \"floor\"\nvalue = 12\n");
  const std::string model = directory.write("m.toml", "boot_time = \"1min\"\nbase = 500\n");
  const auto out = parse_json(
      run("oncall --until 08:05 --json --operator " + script + " --model " + model).out, "output");
  EXPECT_EQ(out.at("minutes").at(0).at("requests_per_s"), 562.5);
  EXPECT_EQ(out.at("minutes").at(2).at("instances_booting"), 2);
  EXPECT_EQ(out.at("minutes").at(3).at("instances_serving"), 12);
  const std::string printed = run("oncall --print-model --model " + model).out;
  EXPECT_THAT(printed, HasSubstr("base = 500"));
  const std::string again = directory.write("again.toml", printed);
  EXPECT_EQ(run("oncall --print-model --model " + again).out, printed);
}

TEST(Oncall, PlaysManyMorningsOfEachOperator) {
  const Result result = run("oncall --scenario bad-deploy --operators all --seeds 3 --json");
  EXPECT_EQ(result.code, 0) << result.error;
  EXPECT_EQ(parse_json(result.out, "output").at("operators").as_array().size(), 3U);
  EXPECT_THAT(run("oncall --operators none,panic --seeds 2").out, HasSubstr("panic: 2 mornings"));
}

TEST(Oncall, RefusesBadArgumentsWithOneLine) {
  const TemporaryDirectory directory;
  const std::string bad_script = directory.write("s.toml", "[[action]]\ntime = \"03:00\"\n");
  const std::string bad_model = directory.write("m.toml", "base = \"many\"\n");
  for (const std::string& bad : {std::string("--scenario storm"),
                                 std::string("--scenario ''"),
                                 std::string("--seed -1"),
                                 std::string("--seed 4294967296"),
                                 std::string("--seed 1.5"),
                                 std::string("--seed x"),
                                 std::string("--until 08:00"),
                                 std::string("--until ''"),
                                 std::string("--model ''"),
                                 std::string("--model ."),
                                 std::string("--operator ''"),
                                 std::string("--operators ''"),
                                 std::string("--seeds 5"),
                                 std::string("--operators all --every 5"),
                                 std::string("--json --format csv"),
                                 std::string("--until noon"),
                                 std::string("--until 25:00"),
                                 std::string("--operator hero"),
                                 std::string("--operator /nowhere/s.toml"),
                                 std::string("--operators hero"),
                                 std::string("--operators none,none"),
                                 std::string("--operators none,"),
                                 std::string("--operators all --seeds 0"),
                                 std::string("--operators all --operator none"),
                                 std::string("--format xml"),
                                 std::string("--every 0"),
                                 std::string("--operators all --seed 4294967295 --seeds 2"),
                                 "--operator " + bad_script,
                                 "--model " + bad_model,
                                 std::string("--model /nowhere/m.toml")}) {
    expect_refused(run("oncall " + bad), bad);
  }
  for (const char* bad :
       {"--instances 0", "--instances x", "--seeds 0", "--seed -1", "--format xml",
        "--model /nowhere", "--model ''", "--json --format csv"}) {
    expect_refused(run(std::string("oncall-check ") + bad), bad);
  }
  EXPECT_THAT(run("oncall --operators hero").error, HasSubstr("--operators: must be none"))
      << "the flag that was given";
}

TEST(Oncall, RefusesAnEventThatTheMorningBeginsAfter) {
  const TemporaryDirectory directory;
  const std::string model = directory.write("m.toml", "bad_deploy_clock = \"07:00\"\n");
  const Result result = run("oncall --scenario bad-deploy --model " + model);
  expect_refused(result, "bad_deploy_clock");
  EXPECT_THAT(result.error, HasSubstr(model + ": bad_deploy_clock: must be after the opening"));
  EXPECT_EQ(run("oncall --model " + model).code, 0) << "steady has no event";
}

TEST(OncallCheck, RefusesAMinuteThatIsTooLongToSimulate) {
  const TemporaryDirectory directory;
  const std::string model = directory.write("m.toml", "hot_objects = 1000000000\n");
  const Result result = run("oncall-check --seeds 1 --model " + model);
  expect_refused(result, "hot_objects");
  EXPECT_THAT(result.error, HasSubstr(model + ": a simulated minute has more than 30000000"));
}

TEST(OncallCheck, PrintsWhereTheTextbookIsWrong) {
  const Result result = run("oncall-check --seeds 1");
  EXPECT_EQ(result.code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr("Where the textbook is furthest from the simulation"));
  EXPECT_THAT(result.out, HasSubstr("not for operational decisions"));
}

TEST(Verbs, HaveHelpWithExamplesAndExitCodes) {
  for (const char* verb : {"admit", "budget", "capacity", "oncall", "oncall-check"}) {
    const Result result = run(std::string(verb) + " --help");
    EXPECT_EQ(result.code, 0) << verb;
    EXPECT_THAT(result.out, HasSubstr("Examples:\n  retrystorm ")) << verb;
    EXPECT_THAT(result.out, HasSubstr("Exit codes: 0")) << verb;
  }
}

}  // namespace
}  // namespace retrystorm
