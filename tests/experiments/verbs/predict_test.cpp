// retrystorm predict, as a user calls it.
#include "core/clocks.hpp"
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "core/tally.hpp"
#include "experiments/run/child_process.hpp"
#include "experiments/run/interrupts.hpp"
#include "tests/places.hpp"
#include "tests/temporary_directory.hpp"

#include <csignal>
#include <fstream>
#include <sstream>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::HasSubstr;

// However the lines were broken.
std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += word + " ";
  return line;
}

// Whether the process has a handler for SIGINT by now.
bool minds_interrupts(int pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string word; status >> word;) {
    if (word != "SigCgt:") continue;
    std::uint64_t caught = 0;
    status >> std::hex >> caught;
    return (caught >> (SIGINT - 1) & 1) != 0;
  }
  return false;
}

class Predict : public testing::Test {
 protected:
  int execute(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "predict");
    ChildProcess process(program_path(), std::move(arguments), directory_.file("errors"));
    ChildProcess* const all[] = {&process};
    while (process.running()) {
      await(all, interrupts_, steady_now() + std::chrono::milliseconds(50));
    }
    output_ = process.output();
    error_ = process.last_error();
    return process.ended()->exit_code;
  }
  boost::json::value json() { return parse_json(output_, "output"); }

  TemporaryDirectory directory_;
  Interrupts interrupts_;
  std::string output_;
  std::string error_;
};

TEST_F(Predict, WithOneEngineAndJsonPrintsItsTally) {
  EXPECT_EQ(execute({"--rate", "1200", "--engine", "simulate", "--json"}), 0);
  const Tally tally = tally_from_json({json(), "output"});
  EXPECT_EQ(tally.engine, "simulate");
  EXPECT_EQ(tally.counts.offered, 7200);
  EXPECT_TRUE(broken_identities(tally.counts).empty());
}

TEST_F(Predict, WithSeveralEnginesSetsThemSideBySideAndNamesWhoRefuses) {
  EXPECT_EQ(execute({"--rate", "1200", "--all-engines"}), 0);
  for (const char* word : {"simulate", "fluid", "stationary", "markov", "refuses", "advice"}) {
    EXPECT_THAT(output_, HasSubstr(word));
  }
  EXPECT_EQ(execute({source_path("experiments/scenarios/markovian.toml"), "--json"}), 0) << error_;
  const boost::json::value document = json();
  const boost::json::value& arm = document.at("arms").at(0);
  EXPECT_EQ(arm.at("predicted").as_object().size() + arm.at("refused").as_object().size(), 4U);
  EXPECT_TRUE(arm.at("predicted").as_object().contains("markov"));
}

TEST_F(Predict, FollowsALoadStageByStageAndTheClosedFormsRefuseItByName) {
  const std::string stages = "800/s:1s,burst=1600/s:1s,800/s:4s";
  EXPECT_EQ(execute({"--stages", stages}), 0) << error_;
  EXPECT_THAT(output_, HasSubstr("stage burst=1600/s:1s"));
  for (const char* engine : {"fluid", "stationary", "markov"}) {
    EXPECT_EQ(execute({"--stages", stages, "--engine", engine, "--approximate"}), 2) << engine;
    EXPECT_THAT(error_, HasSubstr("client.stages"));
    EXPECT_EQ(execute({"--users", "60", "--engine", engine, "--approximate"}), 2) << engine;
    EXPECT_THAT(error_, HasSubstr("client.users"));
  }
  EXPECT_EQ(execute({"--stages", stages, "--rate", "800"}), 2);
  EXPECT_THAT(error_, HasSubstr("--stages: stands in place of --rate: give one of them"));
}

TEST_F(Predict, PrintsNoLatencyWhereNoLawOfItIsKnown) {
  // Poisson arrivals and fixed work above the ceiling: simulate has a sample, stationary no law.
  const std::vector<std::string> bench = {"--rate", "1050", "--arrivals", "poisson"};
  std::vector<std::string> side_by_side = bench;
  side_by_side.push_back("--all-engines");
  EXPECT_EQ(execute(side_by_side), 0) << error_;
  EXPECT_THAT(output_, testing::ContainsRegex("median of successes, ms +[0-9.]+ +- +- +-\n"));
  std::vector<std::string> as_json = bench;
  as_json.push_back("--json");
  EXPECT_EQ(execute(as_json), 0) << error_;
  const boost::json::value document = json();
  const boost::json::value& predicted = document.at("arms").at(0).at("predicted");
  EXPECT_TRUE(predicted.at("stationary").at("latency_ms").at("request").at("p50").is_null());
  EXPECT_TRUE(predicted.at("simulate").at("latency_ms").at("request").at("p50").is_number());
}

TEST_F(Predict, NamesTheFoldsBetweenWhichBothStatesSustainThemselves) {
  const std::vector<std::string> bench = {"--rate",     "800",     "--retries",    "3",
                                          "--arrivals", "poisson", "--work-shape", "exponential"};
  std::vector<std::string> side_by_side = bench;
  side_by_side.push_back("--all-engines");
  EXPECT_EQ(execute(side_by_side), 0);
  EXPECT_THAT(output_, HasSubstr("\nfolds "));
  std::vector<std::string> as_json = bench;
  as_json.push_back("--json");
  EXPECT_EQ(execute(as_json), 0);
  const boost::json::value document = json();
  const boost::json::value& folds = document.at("arms").at(0).at("folds");
  // This bench stands between them: it has three settled states.
  EXPECT_LT(folds.at("bad_state_from_per_s").to_number<double>(), 800);
  EXPECT_GT(folds.at("good_state_ends_per_s").to_number<double>(), 800);
  EXPECT_EQ(execute({"--rate", "800", "--json"}), 0);
  EXPECT_TRUE(json().at("arms").at(0).at("folds").is_null());
}

TEST_F(Predict, WarnsOfWhatABurstLeavesAndNamesTheChangesThatPreventIt) {
  const std::vector<std::string> service = {"--workers", "8",   "--work",    "35ms",
                                            "--queue",   "50",  "--timeout", "250ms",
                                            "--rate",    "200", "--retries", "2"};
  EXPECT_EQ(execute(service), 0);
  EXPECT_THAT(output_, testing::ContainsRegex("\nrecovers +only below .*/s offered"));
  EXPECT_THAT(output_, testing::ContainsRegex("\nbest knob +[a-z_.]+ .*: removes the state"));
  std::vector<std::string> as_json = service;
  as_json.push_back("--json");
  EXPECT_EQ(execute(as_json), 0);
  const boost::json::value document = json();
  const boost::json::value& advice = document.at("arms").at(0).at("advice");
  EXPECT_LT(advice.at("second_state").at("from_per_s").to_number<double>(), 200);
  for (const boost::json::value& change : advice.at("changes").as_array()) {
    EXPECT_TRUE(change.at("removes_second_state").as_bool()) << change;
  }
}

TEST_F(Predict, LetsNoMetastableTimesStandForWhatIsNotRetried) {
  std::vector<std::string> bench = {"--rate", "700", "--retries", "3", "--all-engines"};
  EXPECT_EQ(execute(bench), 0);
  EXPECT_THAT(output_, HasSubstr("\nmetastable "));
  bench.insert(bench.end(), {"--retry-on", "connect_error"});
  EXPECT_EQ(execute(bench), 0);
  EXPECT_THAT(output_, testing::Not(HasSubstr("\nmetastable ")));
}

TEST_F(Predict, RefusesFormsThatItCannotTake) {
  EXPECT_EQ(execute({"--csv"}), 2);
  EXPECT_THAT(error_, HasSubstr("--csv: is a form of a --sweep"));
  EXPECT_EQ(execute({"--sweep", "client.rate=1..2:1", "--csv", "--json"}), 2);
  EXPECT_EQ(execute({source_path("")}), 2);
  EXPECT_THAT(error_, HasSubstr("must be an existing, readable file"));
}

TEST_F(Predict, RefusesAFieldItsEngineDoesNotModelUnlessItMayApproximate) {
  EXPECT_EQ(execute({"--engine", "markov"}), 2);
  EXPECT_THAT(error_, HasSubstr("service.work_shape"));
  EXPECT_EQ(execute({"--engine", "markov", "--approximate", "--json"}), 0);
  EXPECT_FALSE(json().at("approximations").as_array().empty());
}

TEST_F(Predict, TakesOneEngineAtATimeAndThenItsFile) {
  const std::string file = source_path("experiments/scenarios/small.toml");
  EXPECT_EQ(execute({"--engine", "fluid", file}), 0) << error_;
  EXPECT_EQ(execute({"--engine", "fluid,stationary", file}), 0) << error_;
  EXPECT_EQ(execute({"--engine", "fluid", "--engine", "stationary", file}), 0) << error_;
  EXPECT_THAT(output_, testing::AllOf(HasSubstr("fluid"), HasSubstr("stationary")));
}

TEST_F(Predict, KeepsTheStepsOfASweepThatIsInterrupted) {
  ChildProcess process(program_path(),
                       {"predict", "--sweep", "client.rate=1..10000:0.1", "--csv", "--allow-slow"},
                       directory_.file("errors"));
  ChildProcess* const all[] = {&process};
  while (process.running() && !minds_interrupts(process.pid())) {
    await(all, interrupts_, steady_now() + std::chrono::milliseconds(5));
  }
  process.signal(SIGINT);
  while (process.running()) await(all, interrupts_, steady_now() + std::chrono::seconds(1));
  EXPECT_EQ(process.ended()->exit_code, 130);
  EXPECT_THAT(process.output(), HasSubstr("client.rate,goodput_per_s"));
  EXPECT_THAT(process.last_error(), HasSubstr("of 99991 steps"));
}

// A step of an hour at a million a second would outlast the test.
TEST_F(Predict, EndsASweepInTheMiddleOfAStepWhenInterrupted) {
  ChildProcess process(program_path(),
                       {"predict", "--sweep", "client.rate=1000000..1000001:1", "--duration", "1h",
                        "--engine", "simulate", "--allow-slow"},
                       directory_.file("errors"));
  ChildProcess* const all[] = {&process};
  while (process.running() && !minds_interrupts(process.pid())) {
    await(all, interrupts_, steady_now() + std::chrono::milliseconds(5));
  }
  process.signal(SIGINT);
  while (process.running()) await(all, interrupts_, steady_now() + std::chrono::seconds(1));
  EXPECT_EQ(process.ended()->exit_code, 130);
  EXPECT_THAT(process.last_error(), HasSubstr("after 0 of 2 steps"));
}

TEST_F(Predict, AnswersFirstAndThenShowsTheFiguresOfOneEngine) {
  EXPECT_EQ(execute({"--rate", "1200"}), 0) << error_;
  EXPECT_THAT(output_, testing::StartsWith("ceiling    1,000/s: 20 workers of 20ms\n"
                                           "collapses  above 1,000/s offered"));
  EXPECT_THAT(output_, HasSubstr("\nrecovers   as soon as less than 1,000/s is offered\n"));
  EXPECT_THAT(output_, testing::ContainsRegex("\nbest knob  service.workers [0-9]+ instead of 20"));
  EXPECT_THAT(output_, HasSubstr("by simulate\n"));
  EXPECT_THAT(output_, testing::Not(HasSubstr("stationary")));
  EXPECT_THAT(output_, testing::ContainsRegex("\ndefaults   workers 20, work 20ms, "));
  EXPECT_THAT(output_, testing::Not(HasSubstr("rate 1200,"))) << "that was given";
  EXPECT_EQ(execute({"--rate", "1200", "--json"}), 0);
  const boost::json::value document = json();
  const boost::json::value& arm = document.at("arms").at(0);
  const boost::json::value& points = arm.at("answer").at("turning_points");
  EXPECT_EQ(points.at("collapses_above_per_s").to_number<double>(), 1000);
  EXPECT_EQ(arm.at("answer").at("best_change").at("field"), "service.workers");
  EXPECT_FALSE(arm.at("defaults").as_array().empty());
}

TEST_F(Predict, SaysOfWhatCostsTooMuchInItsPlaceAndAnswersByTheOthers) {
  const std::vector<std::string> large = {"--rate", "1000000", "--duration", "1h"};
  EXPECT_EQ(execute(large), 0) << error_;
  EXPECT_THAT(output_, HasSubstr("refuses: engine simulate: would take about"));
  EXPECT_THAT(output_, HasSubstr("by fluid\n"));
  std::vector<std::string> alone = large;
  alone.insert(alone.end(), {"--engine", "simulate"});
  EXPECT_EQ(execute(alone), 2);
  EXPECT_THAT(error_, testing::AllOf(HasSubstr("engine simulate"), HasSubstr("--allow-slow")));
  EXPECT_EQ(execute({"--sweep", "client.rate=1..10000:0.1"}), 2);
  EXPECT_THAT(error_, testing::AllOf(HasSubstr("sweep: would take"), HasSubstr("--allow-slow")));
  EXPECT_EQ(execute({"--engine", "fluid", "--all-engines"}), 2);
}

TEST_F(Predict, SweepsAFieldAndNamesTheKnee) {
  EXPECT_EQ(execute({"--sweep", "client.rate=900..1100:50", "--json"}), 0);
  EXPECT_EQ(json().at("steps").as_array().size(), 5U);
  EXPECT_EQ(json().at("knee").at("rate").to_number<double>(), 1000);
  EXPECT_EQ(execute({"--sweep", "client.rate=900..1100:50", "--csv"}), 0);
  EXPECT_THAT(output_, HasSubstr("client.rate,goodput_per_s"));
}

TEST_F(Predict, SaysWhereARunSettlesThatHasNotYet) {
  std::vector<std::string> falling = {"--workers", "8",         "--work",   "35ms",      "--queue",
                                      "50",        "--timeout", "250ms",    "--retries", "2",
                                      "--rate",    "240",       "--engine", "simulate"};
  EXPECT_EQ(execute(falling), 0);
  EXPECT_THAT(on_one_line(output_), HasSubstr("not settled within 6s"));
  falling.emplace_back("--json");
  EXPECT_EQ(execute(falling), 0);
  const boost::json::value settled = json().at("settled");
  EXPECT_GE(settled.at("from_s").to_number<double>(), 6);
  EXPECT_LT(settled.at("goodput_per_s").to_number<double>(), 24) << "the plateau is above 140";
}

TEST_F(Predict, GivenNonsenseSaysOneLineAndExitsWithTwo) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--engine", "tea-leaves"},
                                             {"--rate", "0"},
                                             {"--sweep", "client.rate=5"},
                                             {"--sweep", "client.rate=5..1:1"},
                                             {"--sweep", "client.nothing=1..2:1"},
                                             {"--sweep", ""},
                                             {""},
                                             {"--seeds", "0"},
                                             {"no-such-file.toml"},
                                             {"--horizon", "-1s"}}) {
    EXPECT_EQ(execute(arguments), 2) << arguments.front();
    EXPECT_THAT(error_, testing::ContainsRegex("(command line|--|toml).*: "));
    EXPECT_EQ(output_, "");
  }
}

}  // namespace
}  // namespace retrystorm
