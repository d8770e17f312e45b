// The real program: real service, real generator, real sockets. No claim here depends on how fast
// the machine is; what is asserted are sums, kinds and what survives.
#include "core/json.hpp"
#include "core/scenario_toml.hpp"
#include "core/tally.hpp"
#include "experiments/child_process.hpp"
#include "experiments/interrupts.hpp"
#include "experiments/report.hpp"
#include "tests/experiments/temporary_directory.hpp"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
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

// A bench of two workers and ten places, overloaded: 40 requests/s for 20/s of service.
std::string bench(const std::string& rest) {
  return "[experiment]\nname = \"bench\"\n[service]\nworkers = 2\nwork = \"20ms\"\nqueue = 10\n"
         "[client]\nrate = 200\ntimeout = \"100ms\"\n" +
         rest;
}

class EndToEnd : public testing::Test {
 protected:
  std::unique_ptr<ChildProcess> start(std::vector<std::string> arguments) {
    return std::make_unique<ChildProcess>(RETRYSTORM_PROGRAM, std::move(arguments),
                                          directory_.file("errors"));
  }
  template <typename Done>
  void wait(ChildProcess& process, Done done) {
    ChildProcess* const all[] = {&process};
    const auto limit = std::chrono::steady_clock::now() + 100s;
    while (!done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit) << "still waiting";
      await(all, interrupts_, std::chrono::steady_clock::now() + 20ms);
    }
  }
  int finish(ChildProcess& process) {
    wait(process, [&] { return !process.running(); });
    if (process.running()) return -1;
    EXPECT_EQ(process.ended()->signal, 0);
    return process.ended()->exit_code;
  }
  int execute(std::vector<std::string> arguments) {
    const auto process = start(std::move(arguments));
    const int code = finish(*process);
    output_ = process->output();
    error_ = process->last_error();
    return code;
  }
  Report report_in(const std::string& directory) {
    const std::string file = directory + "/report.json";
    return report_from_json(parse_json(read_file(file), file), file);
  }

  // The pid of a child of `parent` that runs this verb; 0 if there is none.
  static int child_running(int parent, const std::string& verb) {
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", parent));
    for (int pid = 0; children >> pid;) {
      std::ifstream file(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
      std::string line{std::istreambuf_iterator<char>(file), {}};
      if (line.find(std::string(1, '\0') + verb + '\0') != line.npos) return pid;
    }
    return 0;
  }
  // Waits until an arm's generator has written records: the arm is well under way.
  void wait_for_load(ChildProcess& run, const std::string& out, const std::string& arm) {
    wait(run, [&] {
      std::error_code error;
      for (const auto& entry : fs::recursive_directory_iterator(out + "/arms", error)) {
        const std::string path = entry.path().string();
        if (path.find(arm) != path.npos && path.ends_with("attempts-0.bin") &&
            fs::file_size(entry.path(), error) > 1000) {
          return true;
        }
      }
      return !run.running();
    });
    ASSERT_TRUE(run.running()) << run.last_error();
  }

  TemporaryDirectory directory_;
  Interrupts interrupts_;
  std::string output_;
  std::string error_;
};

void expect_identities(const Report& report) {
  for (const ArmReport& arm : report.arms) {
    for (const Try& t : arm.tries) {
      EXPECT_THAT(broken_identities(t.tally.counts), IsEmpty()) << arm.name;
    }
  }
}

TEST_F(EndToEnd, EveryArmBalancesAndOverloadAbandonsWithoutRetries) {
  const std::string file =
      directory_.write("e.toml", bench("duration = \"1s\"\n[matrix]\n\"client.rate\" = [50, 200]\n"
                                       "\"client.retries\" = [0, 2]\n"));
  const std::string out = directory_.file("run");
  const int code = execute({"run", file, "--out", out, "--json"});
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
  EXPECT_EQ(report.arms[2].name, "rate=200 retries=0");
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
  EXPECT_THAT(output_, AllOf(HasSubstr("rate=200 retries=2"), HasSubstr("settled")));

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

TEST_F(EndToEnd, AKilledServiceFailsItsArmAndTheOthersStillRun) {
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
  EXPECT_FALSE(report.partial);
  expect_identities(report);
  EXPECT_GT(*report.arms[0].tries[0].tally.counts.attempts, 0) << "what there was is kept";
}

TEST_F(EndToEnd, AKilledGeneratorFailsItsArm) {
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
}

TEST_F(EndToEnd, APortThatIsTakenFailsTheArmWithItsReason) {
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

TEST_F(EndToEnd, CtrlCKeepsWhatThereIs) {
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

TEST_F(EndToEnd, AKilledRunLeavesNothingRunningAndCanBeImported) {
  const std::string file = directory_.write(
      "e.toml", bench("duration = \"400ms\"\n[matrix]\n\"client.retries\" = [0, 1, 2]\n"));
  std::mt19937 random(std::random_device{}());
  int partial = 0;
  for (int round = 0; round < 8; ++round) {
    const std::string out = directory_.file(fmt::format("run{}", round));
    const auto run = start({"run", file, "--out", out, "--more-tries", "0"});
    wait(*run, [&] { return fs::exists(out + "/experiment.toml") || !run->running(); });
    const auto delay =
        std::chrono::milliseconds(std::uniform_int_distribution<int>(0, 1200)(random));
    const auto end = std::chrono::steady_clock::now() + delay;
    int service = 0;
    int generator = 0;
    wait(*run, [&] { return std::chrono::steady_clock::now() > end || !run->running(); });
    service = child_running(run->pid(), "serve");
    generator = child_running(run->pid(), "load");
    run->signal(SIGKILL);
    wait(*run, [&] { return !run->running(); });
    for (const int pid : {service, generator}) {
      if (pid != 0) {
        wait(*run, [&] { return ::kill(pid, 0) != 0; });
      }
    }
    const bool whole = fs::exists(out + "/report.json");
    const int code = execute({"report", out, "--json"});
    EXPECT_THAT(code, testing::AnyOf(0, 3)) << delay.count() << " ms: " << error_;
    const Report report = report_in(out);
    if (!whole) ++partial;
    if (!whole && report.partial) {
      EXPECT_EQ(code, 3);
    }
    ASSERT_EQ(report.arms.size(), 3U);
    expect_identities(report);
  }
  EXPECT_GT(partial, 0) << "no kill came before the end: lengthen the arms";
}

TEST_F(EndToEnd, AReportIsNotMadeWhileTheRunStillWrites) {
  const std::string file = directory_.write("e.toml", bench("duration = \"20s\"\n"));
  const std::string out = directory_.file("run");
  const auto run = start({"run", file, "--out", out});
  ASSERT_NO_FATAL_FAILURE(wait_for_load(*run, out, "bench"));
  EXPECT_EQ(execute({"report", out}), 2);
  EXPECT_THAT(error_, HasSubstr("still writing"));
  run->signal(SIGKILL);
  wait(*run, [&] { return !run->running(); });
}

struct Bad {
  const char* what;
  std::vector<std::string> arguments;  // "@" stands for the test's directory
  std::string_view says;
};

class BadInput : public EndToEnd, public testing::WithParamInterface<Bad> {};

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
  std::vector<std::string> arguments = GetParam().arguments;
  for (std::string& argument : arguments) {
    if (argument.starts_with("@")) argument = directory_.path() + argument.substr(1);
  }
  EXPECT_EQ(execute(arguments), 2);
  EXPECT_EQ(output_, "");
  EXPECT_THAT(error_, HasSubstr(std::string(GetParam().says)));
  const std::string errors = read_file(directory_.file("errors"));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
}

INSTANTIATE_TEST_SUITE_P(
    EndToEnd, BadInput,
    testing::Values(Bad{"NoFile", {"run"}, "EXPERIMENT"},
                    Bad{"MissingFile", {"run", "@/none.toml"}, "none.toml"},
                    Bad{"UnknownField", {"run", "@/bad.toml"}, "bad.toml:2: client.rat"},
                    Bad{"BadFlag", {"run", "@/good.toml", "--timeout", "5"}, "--timeout"},
                    Bad{"UnknownFlag", {"run", "@/good.toml", "--tiemout", "5ms"}, "--tiemout"},
                    Bad{"BadRepeat", {"run", "@/good.toml", "--repeat", "0"}, "--repeat"},
                    Bad{"BadListen", {"run", "@/good.toml", "--listen", "here"}, "--listen"},
                    Bad{"FullDirectory", {"run", "@/good.toml", "--out", "@/full"}, "full"},
                    Bad{"SettleBeyondDuration", {"run", "@/good.toml", "--settle", "1s"}, "settle"},
                    Bad{"NoDirectory", {"report", "@/none"}, "none"},
                    Bad{"NoRun", {"report", "@/full"}, "full"},
                    Bad{"CutReport", {"report", "@/cut"}, "report.json"},
                    Bad{"DamagedNote", {"report", "@/damaged"}, "try.json"},
                    Bad{"DamagedDatabase", {"report", "@/nodb"}, "run.sqlite"}),
    [](const auto& bad) { return bad.param.what; });

TEST_F(EndToEnd, HelpHasExamplesAndExitCodes) {
  for (const char* verb : {"run", "report"}) {
    EXPECT_EQ(execute({verb, "--help"}), 0);
    EXPECT_THAT(output_, AllOf(HasSubstr("Examples:"), HasSubstr("Exit codes")));
  }
}

}  // namespace
}  // namespace retrystorm
