// The real program: real service, real generator, real sockets. No claim here depends on how fast
// the machine is; what is asserted are sums, kinds and what survives.
#include "tests/experiments/verbs/end_to_end.hpp"

#include "core/cores.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/ledger.hpp"
#include "core/version.hpp"
#include "experiments/evidence/import.hpp"
#include "experiments/evidence/reconcile.hpp"
#include "experiments/evidence/tally_from_ledger.hpp"
#include "tests/places.hpp"

#include <algorithm>
#include <csignal>
#include <random>
#include <sstream>
#include <thread>

#include <arpa/inet.h>
#include <boost/json.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
namespace fs = std::filesystem;

// The published bench ten times smaller: 100/s at most.
TEST_F(RealProgram, EveryArmBalancesAndOverloadAbandonsWithoutRetries) {
  const std::string file = source_path("experiments/scenarios/small.toml");
  const std::string out = directory_.file("run");
  const int code = execute({"run", file, "--duration", "1s", "--out", out, "--json"});
  EXPECT_THAT(code, testing::AnyOf(0, 3)) << error_;  // 3: the machine was too busy to be trusted
  const Report report = report_in(out);
  EXPECT_EQ(output_, pretty_json(to_json(report))) << "--json prints the report and nothing else";
  ASSERT_EQ(report.arms.size(), 4U);
  expect_identities(report);
  for (const ArmReport& arm : report.arms) {
    EXPECT_EQ(arm.status, "done");
    ASSERT_TRUE(arm.measured) << arm.name;
    const Counts& c = arm.measured->counts;
    EXPECT_EQ(c.offered, arm.scenario.client.rate) << arm.name;
    EXPECT_EQ(c.unfinished_attempts, 0) << arm.name;
    for (const Try& t : arm.tries) {
      EXPECT_EQ(t.reconciliation.at("stranger"), 0U);
      EXPECT_EQ(t.reconciliation.at("contradiction"), 0U);
      EXPECT_EQ(t.reconciliation.at("attempt_lost"), 0U);
      EXPECT_EQ(t.reconciliation.at("completed_attempt_lost"), 0U);
      EXPECT_EQ(t.trust.schedule_errors, 0);
      EXPECT_THAT(t.reasons, Each(Not(HasSubstr("counted"))));
    }
  }
  const Counts& overloaded = report.arms[2].measured->counts;
  EXPECT_EQ(report.arms[2].name, "rate=120 retries=0");
  EXPECT_GT(*overloaded.abandoned, 0);
  EXPECT_GT(*overloaded.rejected, 0);
  EXPECT_EQ(overloaded.attempts, overloaded.offered);
  EXPECT_GT(*report.arms[3].measured->counts.attempts, *overloaded.attempts);

  // The directory keeps a complete experiment, and prints its report again.
  const Experiment again = experiment_from_file(out + "/experiment.toml");
  EXPECT_EQ(arms_of(again, "").size(), 4U);
  EXPECT_EQ(execute({"report", out, "--json"}), code);
  EXPECT_EQ(output_, pretty_json(to_json(report)));
  EXPECT_EQ(execute({"report", out}), code);
  EXPECT_THAT(output_, AllOf(HasSubstr("rate=120 retries=2"), HasSubstr("settled")));

  // Without its report.json the same comes out of ledger and notes.
  fs::remove(out + "/report.json");
  EXPECT_EQ(execute({"report", out, "--json"}), code);
  EXPECT_EQ(output_, pretty_json(to_json(report)));

  // And without its database out of the raw files.
  fs::remove(out + "/report.json");
  fs::remove(out + "/run.sqlite");
  EXPECT_EQ(execute({"report", out, "--json"}), code);
  EXPECT_EQ(output_, pretty_json(to_json(report)));
}

// The original may go: the run keeps what it offered, and holds what was measured to it.
TEST_F(RealProgram, ARecordedLoadIsOfferedAsItWasAndKeptWithTheRun) {
  std::string instants;
  for (int i = 0; i < 60; ++i) instants += fmt::format("{}\n", 5 * i + (i % 3) * (i % 3));
  const std::string original = directory_.write("arrivals.txt", instants);
  const std::string file =
      directory_.write("e.toml",
                       "[service]\nworkers = 2\nrecorded_work = 'work.txt'\n[client]\nrecorded = "
                       "'arrivals.txt:ms'\ntimeout = '100ms'\n");
  directory_.write("work.txt", "10ms 3\n30ms 1\n");
  const std::string out = directory_.file("run");
  const int code = execute({"run", file, "--out", out, "--json"});
  EXPECT_THAT(code, testing::AnyOf(0, 3)) << error_;
  Report report = report_in(out);
  ASSERT_EQ(report.arms.size(), 1U);
  ASSERT_TRUE(report.arms[0].measured);
  EXPECT_EQ(report.arms[0].measured->counts.offered, 60);
  for (const Try& t : report.arms[0].tries) EXPECT_EQ(t.trust.schedule_errors, 0);
  EXPECT_THAT(read_file(out + "/SHA256SUMS"), HasSubstr("  recorded/1-arrivals.txt\n"));
  EXPECT_EQ(report.arms[0].scenario.client.recorded.source, "recorded/1-arrivals.txt:ns");

  fs::remove(original);
  fs::rename(out, directory_.file("moved"));
  const std::string moved = directory_.file("moved");
  EXPECT_EQ(execute({"report", moved, "--json"}), code);
  EXPECT_EQ(output_, pretty_json(to_json(report)));
  fs::remove(moved + "/report.json");
  fs::remove(moved + "/run.sqlite");
  EXPECT_EQ(execute({"report", moved, "--json"}), code) << error_;
  EXPECT_EQ(output_, pretty_json(to_json(report)));

  // Another schedule than the one that was offered is not taken for it.
  fs::remove(moved + "/report.json");
  directory_.write("moved/recorded/1-arrivals.txt", "0\n");
  EXPECT_EQ(execute({"report", moved}), 2);
  EXPECT_THAT(error_, HasSubstr("recorded/1-arrivals.txt: is not what the run wrote"));
}

TEST_F(RealProgram, ARecordingThatCannotBeReadIsOneLineAndLeavesNothing) {
  const std::string out = directory_.file("run");
  for (const auto& [name, text] :
       {std::pair("empty", ""), {"falling", "2\n1\n"}, {"bytes", "\xff\xfe\n"}}) {
    const std::string recording = directory_.write(name, text);
    for (const std::vector<std::string>& verb :
         {std::vector<std::string>{"load", "http://127.0.0.1:9/"}, {"predict"}}) {
      std::vector<std::string> arguments = verb;
      arguments.insert(arguments.end(), {"--recorded", recording});
      EXPECT_EQ(execute(arguments), 2) << name;
      EXPECT_THAT(error_, AllOf(HasSubstr(recording), HasSubstr("client.recorded")));
      EXPECT_THAT(output_, IsEmpty());
    }
  }
  const std::string file = directory_.write("e.toml", "[client]\nrecorded = 'nowhere.txt'\n");
  EXPECT_EQ(execute({"run", file, "--out", out}), 2);
  EXPECT_THAT(error_, HasSubstr("nowhere.txt: cannot be read"));
  EXPECT_FALSE(fs::exists(out));
}

// What the ledgers of an arm hold whose process was killed.
void expect_shown_in_part(const ArmReport& arm) {
  EXPECT_FALSE(arm.trusted);
  ASSERT_TRUE(arm.measured);
  EXPECT_GT(*arm.measured->counts.attempts, 0);
  EXPECT_GT(*arm.measured->counts.arrived, 0);
  EXPECT_EQ(arm.measured_try.value_or(TryKey{}).try_number, 0);
  EXPECT_FALSE(arm.measured->settled.goodput_per_s) << "it did not come to its end";
  EXPECT_FALSE(comparable(arm));
}

TEST_F(RealProgram, AKilledServiceFailsItsArmAndTheOthersStillRun) {
  const std::string file = directory_.write(
      "e.toml", bench("duration = \"20s\"\n[[arm]]\nname = \"killed\"\n"
                      "[[arm]]\nname = \"spared\"\n\"client.duration\" = \"300ms\"\n"));
  const std::string out = directory_.file("run");
  const auto run = start({"run", file, "--out", out, "--more-tries", "0"});
  ASSERT_NO_FATAL_FAILURE(wait_for_load(*run, out, "killed"));
  const int service = child_running(run->pid(), "serve");
  ASSERT_GT(service, 0);
  ::kill(service, SIGKILL);
  EXPECT_EQ(finish(*run), 3);
  const Report report = report_in(out);
  EXPECT_EQ(report.arms[0].status, "failed");
  ASSERT_FALSE(report.arms[0].reasons.empty());
  EXPECT_THAT(report.arms[0].reasons[0], HasSubstr("the service was killed by signal 9"));
  EXPECT_EQ(report.arms[1].status, "done");
  EXPECT_EQ(report.arms[1].measured->counts.offered, 60);
  EXPECT_TRUE(report.partial);
  expect_identities(report);
  EXPECT_GT(*report.arms[0].tries[0].tally.counts.attempts, 0) << "what there was is kept";
  expect_shown_in_part(report.arms[0]);
}

TEST_F(RealProgram, AKilledGeneratorFailsItsArm) {
  const std::string file = directory_.write("e.toml", bench("duration = \"20s\"\n"));
  const std::string out = directory_.file("run");
  const auto run = start({"run", file, "--out", out, "--more-tries", "0"});
  ASSERT_NO_FATAL_FAILURE(wait_for_load(*run, out, "bench"));
  const int generator = child_running(run->pid(), "load");
  ASSERT_GT(generator, 0);
  ::kill(generator, SIGKILL);
  EXPECT_EQ(finish(*run), 3);
  const Report report = report_in(out);
  EXPECT_EQ(report.arms[0].status, "failed");
  EXPECT_THAT(report.arms[0].reasons[0], HasSubstr("the generator was killed by signal 9"));
  expect_identities(report);
  expect_shown_in_part(report.arms[0]);
  EXPECT_TRUE(report.partial);
  EXPECT_EQ(execute({"report", out}), 3);
  EXPECT_THAT(output_, AllOf(HasSubstr("PARTIAL"), HasSubstr("killed by signal 9")));
}

TEST_F(RealProgram, APortThatIsTakenFailsTheArmWithItsReason) {
  const int taken = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(taken, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(taken, 1), 0);
  ASSERT_EQ(::getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string file = directory_.write("e.toml", bench("duration = \"1s\"\n"));
  const std::string out = directory_.file("run");
  EXPECT_EQ(execute({"run", file, "--out", out, "--listen",
                     fmt::format("127.0.0.1:{}", ntohs(address.sin_port))}),
            3);
  EXPECT_THAT(output_, AllOf(HasSubstr("FAILED"), HasSubstr("already in use")));
  EXPECT_EQ(report_in(out).arms[0].tries.size(), 1U) << "what fails outright is not tried again";
  ::close(taken);
}

TEST_F(RealProgram, CtrlCKeepsWhatThereIs) {
  const std::string file = directory_.write(
      "e.toml", bench("duration = \"60s\"\n[matrix]\n\"client.retries\" = [0, 2]\n"));
  const std::string out = directory_.file("run");
  const auto run = start({"run", file, "--out", out});
  ASSERT_NO_FATAL_FAILURE(wait_for_load(*run, out, "retries=0"));
  run->signal(SIGINT);
  EXPECT_EQ(finish(*run), 130);
  const Report report = report_in(out);
  EXPECT_TRUE(report.partial);
  EXPECT_EQ(report.arms[0].status, "interrupted");
  EXPECT_EQ(report.arms[1].status, "not_run");
  ASSERT_TRUE(report.arms[0].measured);
  EXPECT_GT(*report.arms[0].measured->counts.attempts, 0);
  EXPECT_EQ(report.arms[0].measured->counts.unfinished_attempts, 0) << "drained, not cut";
  expect_identities(report);
  EXPECT_EQ(execute({"report", out}), 3);
  EXPECT_THAT(output_, HasSubstr("PARTIAL"));
}

TEST_F(RealProgram, AReportIsNotMadeWhileTheRunStillWrites) {
  const std::string file = directory_.write("e.toml", bench("duration = \"20s\"\n"));
  const std::string out = directory_.file("run");
  const auto run = start({"run", file, "--out", out});
  ASSERT_NO_FATAL_FAILURE(wait_for_load(*run, out, "bench"));
  EXPECT_EQ(execute({"report", out}), 2);
  EXPECT_THAT(error_, HasSubstr("still writing"));
  run->signal(SIGKILL);
  wait(*run, [&] { return !run->running(); });
}

// The two processes by themselves, joined by their ledgers.
TEST_F(RealProgram, CountsObeyTheSameIdentitiesWithOneThreadAndWithTwo) {
  Scenario scenario;
  scenario.service.workers = 2;
  scenario.service.queue = 10;
  scenario.client.rate = 200;
  scenario.client.duration = 500ms;
  scenario.client.retries = 2;
  const std::string file = directory_.write("s.toml", scenario_to_toml(scenario));
  const std::string token = "00000000000000ab";
  Database database = open_ledger(directory_.file("run.sqlite"));
  for (const char* of_service : {"1", "2"}) {
    for (const char* of_generator : {"1", "2"}) {
      const TryKey key{fmt::format("{} and {}", of_service, of_generator), 0};
      const std::string ledger = directory_.file(key.arm);
      const auto service =
          start({"serve", "--scenario", file, "--listen", "127.0.0.1:0", "--metrics", "off",
                 "--threads", of_service, "--ledger", ledger, "--token", token, "--json"},
                "service errors");
      wait(*service, [&] { return service->output().ends_with('\n') || !service->running(); });
      const auto first_line = parse_json(service->output(), "service");
      const JsonObject listening(first_line, "service");
      EXPECT_EQ(listening.number("threads"), std::stoi(of_service));
      const std::string url = "http://" + listening.text("address");
      EXPECT_THAT(execute({"load", url, "--scenario", file, "--threads", of_generator, "--ledger",
                           ledger, "--token", token, "--json"}),
                  testing::AnyOf(0, 3))
          << error_;
      EXPECT_EQ(parse_json(output_, "load").at("threads"), std::stoi(of_generator));
      service->signal(SIGTERM);
      EXPECT_EQ(finish(*service), 0);
      const Imported imported =
          import_ledgers(database, key, *parse_token(token), scenario, ledger);
      EXPECT_THAT(imported.gaps, IsEmpty());
      EXPECT_THAT(unexplained(reconcile(database, key, imported)), IsEmpty()) << key.arm;
      const Counts counts = tally_from_ledger(database, key, scenario).counts;
      EXPECT_THAT(broken_identities(counts), IsEmpty()) << key.arm;
      EXPECT_EQ(counts.offered, 100) << key.arm;
      EXPECT_GT(*counts.rejected, 0) << key.arm;
      EXPECT_EQ(counts.arrived, counts.attempts) << key.arm;
    }
  }
}

TEST_F(RealProgram, TheThreadsFollowTheCoresAndAreRecorded) {
  const std::string file = directory_.write("e.toml", bench("duration = \"100ms\"\n"));
  const std::string out = directory_.file("run");
  EXPECT_THAT(execute({"run", file, "--out", out, "--more-tries", "0"}), testing::AnyOf(0, 3));
  const std::string note_file = out + "/arms/001-bench/000/try.json";
  const auto note = parse_json(read_file(note_file), note_file);
  for (const char* process : {"service_said", "generator_said"}) {
    EXPECT_EQ(note.at(process).at("threads"), half_the_cores()) << process;
  }
}

TEST_F(RealProgram, ADiskThatIsFullEndsTheRunInOneLineAndWhatThereIsCanStillBeImported) {
  const std::string file = directory_.write("e.toml", bench("duration = \"2s\"\n"));
  const std::string out = directory_.file("run");
  // The stand-in for a full disk: no file grows beyond 64 kB, enough for the ledger files, too
  // little for the database of all.
  EXPECT_EQ(execute_in_shell("ulimit -f 128; exec \"$0\" \"$@\"", {"run", file, "--out", out}), 3);
  EXPECT_THAT(error_, HasSubstr("run.sqlite: "));
  EXPECT_THAT(error_, HasSubstr("the limit for the size of a file is reached"));
  EXPECT_THAT(error_, HasSubstr("retrystorm report " + out));
  const std::string errors = read_file(directory_.file("errors"));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
  EXPECT_FALSE(fs::exists(out + "/report.json"));
  EXPECT_THAT(execute({"report", out, "--json"}), testing::AnyOf(0, 3)) << error_;
  const Report report = report_in(out);
  expect_identities(report);
  EXPECT_EQ(report.arms[0].measured->counts.offered, 400);
}

TEST_F(RealProgram, ADiskThatIsFullWhileLedgersAreWrittenIsTheReasonOfTheArm) {
  const std::string file = directory_.write("e.toml", bench("duration = \"2s\"\n"));
  const std::string out = directory_.file("run");
  // 2,000 arrivals take more than the 64 kB that a file may have.
  EXPECT_EQ(execute_in_shell("ulimit -f 128; exec \"$0\" \"$@\"",
                             {"run", file, "--rate", "1000", "--out", out, "--more-tries", "0"}),
            3);
  EXPECT_THAT(error_, HasSubstr("the limit for the size of a file is reached"));
  EXPECT_EQ(execute({"report", out, "--json"}), 3) << error_;
  const Report report = report_in(out);
  EXPECT_THAT(report.arms[0].reasons,
              testing::Contains(AllOf(HasSubstr("ledger records: "),
                                      HasSubstr("the limit for the size of a file is reached"))));
}

TEST_F(RealProgram, AKilledRunIsShownWhereNothingCanBeStored) {
  const std::string file = directory_.write("e.toml", bench("duration = \"20s\"\n"));
  const std::string out = directory_.file("run");
  const auto run = start({"run", file, "--out", out, "--more-tries", "0"});
  ASSERT_NO_FATAL_FAILURE(wait_for_load(*run, out, "bench"));
  ::kill(run->pid(), SIGKILL);
  wait(*run, [&] { return !run->running(); });
  // As of a disk that is mounted read-only: no byte can be written.
  EXPECT_EQ(execute_in_shell("ulimit -f 0; exec \"$0\" \"$@\"", {"report", out, "--json"}), 3);
  const Report shown = report_from_json(parse_json(output_, "output"), "output");
  EXPECT_EQ(shown.arms.at(0).status, "killed");
  ASSERT_TRUE(shown.arms[0].measured);
  EXPECT_GT(*shown.arms[0].measured->counts.attempts, 0);
  EXPECT_FALSE(fs::exists(out + "/report.json"));
}

TEST_F(RealProgram, AReportThatCannotBeKeptIsPrintedAndTheReasonNamed) {
  const std::string file = directory_.write("e.toml", bench("duration = \"200ms\"\n"));
  const std::string out = directory_.file("run");
  const auto run = start({"run", file, "--out", out, "--more-tries", "0", "--json"});
  // What the report is first written to is there already, and no file.
  wait(*run, [&] { return fs::exists(out + "/experiment.toml") || !run->running(); });
  fs::create_directory(out + "/report.json.part");
  EXPECT_EQ(finish(*run), 3);
  EXPECT_THAT(run->last_error(), HasSubstr("report.json: "));
  const Report shown = report_from_json(parse_json(run->output(), "output"), "output");
  EXPECT_EQ(shown.arms.at(0).measured.value_or(Tally{}).counts.offered, 40);
}

TEST_F(RealProgram, WithStandardErrorClosedEndsAsItWouldAnyway) {
  const std::string closed = "exec \"$0\" \"$@\" 2>&-";
  EXPECT_EQ(execute_in_shell(closed, {"report", directory_.file("nowhere")}), 2);
  EXPECT_EQ(execute_in_shell(closed, {"run"}), 2);
  const std::string file = directory_.write("e.toml", bench("duration = \"100ms\"\n"));
  const std::string out = directory_.file("run");
  EXPECT_THAT(execute_in_shell(closed, {"run", file, "--out", out, "--more-tries", "0"}),
              testing::AnyOf(0, 3));
  EXPECT_EQ(report_in(out).arms.at(0).status, "done");
}

TEST_F(RealProgram, AServiceThatCannotSayWhereItListensEnds) {
  EXPECT_EQ(execute_in_shell("exec \"$0\" \"$@\" >/dev/full",
                             {"serve", "--listen", "127.0.0.1:0", "--metrics", "off"}),
            3);
  EXPECT_THAT(error_, HasSubstr("standard output: cannot be written"));
}

TEST_F(RealProgram, ARunWithoutStandardFilesIsKeptAsAnyOther) {
  const std::string file = directory_.write("e.toml", bench("duration = \"100ms\"\n"));
  const std::string out = directory_.file("run");
  execute_in_shell("exec \"$0\" \"$@\" <&- >&- 2>&-",
                   {"run", file, "--out", out, "--more-tries", "0"});
  const Report report = report_in(out);
  EXPECT_EQ(report.arms[0].status, "done");
  expect_identities(report);
}

TEST_F(RealProgram, OutputThatCannotBeWrittenIsAnError) {
  for (const char* verb : {"fields", "rules", "--help"}) {
    EXPECT_EQ(execute_in_shell("exec \"$0\" \"$@\" >/dev/full", {verb}), 3) << verb;
    EXPECT_THAT(error_, HasSubstr("standard output")) << verb;
  }
}

TEST_F(RealProgram, EveryRepeatIsMeasuredAndKept) {
  const std::string file = directory_.write("e.toml", bench("duration = \"300ms\"\n"));
  const std::string out = directory_.file("run");
  EXPECT_THAT(execute({"run", file, "--out", out, "--repeat", "3", "--more-tries", "0"}),
              testing::AnyOf(0, 3));
  const Report report = report_in(out);
  expect_identities(report);
  ASSERT_EQ(report.arms[0].repeats.size(), 3U);
  for (const Tally& repeat : report.arms[0].repeats) EXPECT_EQ(repeat.counts.offered, 60);
  for (const char* repeat : {"000", "001", "002"}) {
    EXPECT_TRUE(fs::exists(out + "/arms/001-bench/" + repeat + "/try.json")) << repeat;
  }
}

struct Bad {
  const char* what;
  std::vector<std::string> arguments;  // "@" stands for the test's directory
  std::string_view says;
};

class BadInput : public RealProgram, public testing::WithParamInterface<Bad> {};

TEST_P(BadInput, IsOneLineAndExitCodeTwo) {
  directory_.write("good.toml", bench("duration = \"100ms\"\n"));
  directory_.write("bad.toml", "[client]\nrat = 5\n");
  fs::create_directory(directory_.file("full"));
  directory_.write("full/precious", "x");
  fs::create_directory(directory_.file("cut"));
  directory_.write("cut/report.json", "{\"experiment\": \"x\", \"ar");
  fs::create_directories(directory_.file("damaged/arms/001-bench/000"));
  directory_.write("damaged/experiment.toml", bench(""));
  directory_.write("damaged/arms/001-bench/000/try.json", "{}");
  fs::create_directory(directory_.file("nodb"));
  directory_.write("nodb/experiment.toml", bench(""));
  directory_.write("nodb/run.sqlite", std::string(10'000, 'x'));
  fs::create_directory(directory_.file("loop"));
  directory_.write("loop/experiment.toml", bench(""));
  fs::create_symlink(directory_.file("loop/report.json"), directory_.file("loop/report.json"));
  ASSERT_EQ(::mkfifo(directory_.file("pipe").c_str(), 0600), 0);
  for (const char* name : {"report.json", "run.sqlite", "experiment.toml"}) {
    const std::string there = directory_.file(std::string("pipe-") + name);
    fs::create_directory(there);
    if (name != std::string("experiment.toml")) {
      directory_.write(std::string("pipe-") + name + "/experiment.toml", bench(""));
    }
    ASSERT_EQ(::mkfifo((there + "/" + name).c_str(), 0600), 0);
  }
  fs::create_directories(directory_.file("dirdb/run.sqlite"));
  directory_.write("dirdb/experiment.toml", bench(""));
  std::vector<std::string> arguments = GetParam().arguments;
  for (std::string& argument : arguments) {
    if (argument.starts_with("@")) argument = directory_.path() + argument.substr(1);
  }
  EXPECT_EQ(execute(arguments), 2);
  EXPECT_EQ(output_, "");
  const std::string errors = read_file(directory_.file("errors"));
  EXPECT_THAT(errors.substr(0, errors.find('\n')), HasSubstr(std::string(GetParam().says)));
  // Of a file the place stands beneath: the line and the mark.
  const bool has_excerpt = errors.find("\n      | ") != errors.npos;
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), has_excerpt ? 3 : 1) << errors;
}

TEST_F(RealProgram, ShowsEveryErrorOfAFileWithItsPlace) {
  const std::string file = directory_.write("bad.toml", "[client]\nrat = 5\ntimeout = 1\n");
  EXPECT_EQ(execute({"predict", file}), 2);
  EXPECT_EQ(read_file(directory_.file("errors")),
            fmt::format("retrystorm: {0}:2: client.rat: no such field; did you mean client.rate?\n"
                        "    2 | rat = 5\n      | ^\n"
                        "retrystorm: {0}:3: client.timeout: must be a duration with its unit such "
                        "as 20ms or 1.5s, from 1us to 1h; got '1'\n"
                        "    3 | timeout = 1\n      |           ^\n",
                        file));
}

TEST_F(RealProgram, PredictionsFitEightyColumnsWhereThereIsNoTerminal) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"predict", "--rate", "1200", "--retries", "2"},
        {"predict", "--sweep", "rate=900..1100:100"}}) {
    EXPECT_EQ(execute_in_shell("unset COLUMNS; exec \"$0\" \"$@\"", arguments), 0);
    std::istringstream lines(output_);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
    EXPECT_THAT(output_, testing::Not(HasSubstr("not shown")));
  }
  EXPECT_EQ(execute_in_shell("COLUMNS=50 exec \"$0\" \"$@\"",
                             {"predict", "--sweep", "rate=900..1100:100"}),
            0);
  EXPECT_THAT(output_, HasSubstr("not shown  throughput/s"));
}

// Not on standard output, which may be for a machine.
TEST_F(RealProgram, ARunSaysOnAPipeWhatBecameOfEachArm) {
  const std::string file =
      directory_.write("e.toml", bench("duration = \"100ms\"\n[matrix]\nclient.rate = [20, 30]\n"));
  execute({"run", file, "--out", directory_.file("run"), "--more-tries", "0", "--json"});
  const std::string errors = read_file(directory_.file("errors"));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 2) << errors;
  EXPECT_THAT(errors, HasSubstr("[1 of 2] rate=20: "));
  EXPECT_THAT(errors, HasSubstr("[2 of 2] rate=30: "));
  EXPECT_EQ(output_.front(), '{');
}

// What git describes, or "unknown" where the source came without it.
const auto says_its_version =
    testing::AllOf(testing::StartsWith(fmt::format("retrystorm {} (revision ", version())),
                   testing::ContainsRegex("revision (unknown|[-+./_A-Za-z0-9]+)\\)\n$"));

TEST_F(RealProgram, HelpAndVersionAreVerbsToo) {
  EXPECT_EQ(execute({"version"}), 0);
  EXPECT_THAT(output_, says_its_version);
  for (const auto& [words, flags] :
       {std::pair<std::vector<std::string>, std::vector<std::string>>{{"help"}, {"--help"}},
        {{"help", "run"}, {"run", "--help"}}}) {
    EXPECT_EQ(execute(words), 0);
    const std::string shown = output_;
    EXPECT_EQ(execute(flags), 0);
    EXPECT_EQ(shown, output_);
  }
  EXPECT_EQ(execute({"help", "rnu"}), 2);
  EXPECT_THAT(error_, HasSubstr("rnu: is no verb; did you mean run?"));
}

TEST_F(RealProgram, ExperimentsAreFoundHereAndElseByNameAmongTheInstalled) {
  const std::string here = "cd '" + directory_.path() + "' && exec \"$0\" \"$@\"";
  const std::vector<std::string> question = {"predict", "small.toml", "--engine",  "fluid",
                                             "--rate",  "80",         "--retries", "0"};
  EXPECT_EQ(execute_in_shell(here, question), 0) << error_;
  EXPECT_THAT(output_, HasSubstr("2 workers of 20ms")) << "the one that came with the program";
  directory_.write("small.toml", "[service]\nworkers = 3\n");
  EXPECT_EQ(execute_in_shell(here, question), 0) << error_;
  EXPECT_THAT(output_, HasSubstr("3 workers of 20ms"));
}

INSTANTIATE_TEST_SUITE_P(
    RealProgram, BadInput,
    testing::Values(
        Bad{"NoFile", {"run"}, "EXPERIMENT"},
        Bad{"MissingFile", {"run", "@/none.toml"}, "none.toml"},
        Bad{"MissingHereAndInstalled", {"run", "none.toml"}, "none of that name here, and none in"},
        Bad{"MissingHereAndInstalledToo", {"predict", "none.toml"}, "share/retrystorm/scenarios"},
        Bad{"UnknownField", {"run", "@/bad.toml"}, "bad.toml:2: client.rat"},
        Bad{"BadFlag", {"run", "@/good.toml", "--timeout", "5"}, "--timeout"},
        Bad{"UnknownFlag", {"run", "@/good.toml", "--tiemout", "5ms"}, "--tiemout"},
        Bad{"UnknownVerb", {"rnu", "@/good.toml"}, "rnu: is no verb; did you mean run? There are"},
        Bad{"UnknownVerbLikeNoOther", {"xylophone"}, "xylophone: is no verb; there are serve"},
        Bad{"NearFlag", {"run", "@/good.toml", "--tiemout=5ms"}, "did you mean --timeout?"},
        Bad{"FarFlag", {"run", "@/good.toml", "--xylophone"}, "`retrystorm run --help` lists them"},
        Bad{"UnknownFlagBeforeTheFile", {"run", "--tiemout", "5ms"}, "--tiemout: is no"},
        Bad{"NoVerb", {}, "must name a verb: serve"},
        Bad{"EmptyFile", {"run", ""}, "'': cannot be read"},
        Bad{"EmptyScenario", {"serve", "--scenario", ""}, "--scenario: must not be"},
        Bad{"EmptyLedger", {"serve", "--ledger", ""}, "--ledger: must not be"},
        Bad{"ListenElsewhere",
            {"run", "@/good.toml", "--listen", "0.0.0.0:0", "--out", "@/new"},
            "--listen: must be an address of this machine's loopback"},
        Bad{"BadRepeat", {"run", "@/good.toml", "--repeat", "0"}, "--repeat"},
        Bad{"BadListen", {"run", "@/good.toml", "--listen", "here"}, "--listen"},
        Bad{"FullDirectory", {"run", "@/good.toml", "--out", "@/full"}, "full"},
        Bad{"SettleBeyondDuration", {"run", "@/good.toml", "--settle", "1s"}, "settle"},
        Bad{"NoDirectory", {"report", "@/none"}, "none"},
        Bad{"NoRun", {"report", "@/full"}, "full"},
        Bad{"CutReport", {"report", "@/cut"}, "report.json"},
        Bad{"LinkToItself", {"report", "@/loop"}, "report.json: cannot be read"},
        Bad{"PipeForAnExperiment", {"run", "@/pipe"}, "pipe: cannot be read: it is a named pipe"},
        Bad{"DeviceForAnExperiment", {"run", "/dev/zero"}, "/dev/zero: cannot be read"},
        Bad{"PipeForAScenario",
            {"load", "http://127.0.0.1:1/", "--scenario", "@/pipe"},
            "pipe: cannot be read"},
        Bad{"PipeForAReport", {"report", "@/pipe-report.json"}, "report.json: cannot be read"},
        Bad{"PipeForADatabase", {"report", "@/pipe-run.sqlite"}, "run.sqlite: cannot be read"},
        Bad{"PipeInARun", {"report", "@/pipe-experiment.toml"}, "experiment.toml: cannot be read"},
        Bad{"DamagedNote", {"report", "@/damaged"}, "try.json"},
        Bad{"DatabaseThatIsAFolder", {"report", "@/dirdb"}, "run.sqlite: cannot be read"},
        Bad{"DamagedDatabase", {"report", "@/nodb"}, "run.sqlite"}),
    [](const auto& bad) { return bad.param.what; });

TEST_F(RealProgram, HelpHasExamplesAndExitCodes) {
  for (const char* verb : {"run", "report"}) {
    EXPECT_EQ(execute({verb, "--help"}), 0);
    EXPECT_THAT(output_, AllOf(HasSubstr("Examples:"), HasSubstr("Exit codes")));
  }
  EXPECT_EQ(execute({"--version"}), 0);
  EXPECT_THAT(output_, says_its_version);
}

}  // namespace
}  // namespace retrystorm
