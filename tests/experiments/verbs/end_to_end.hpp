// The real program as its user calls it: started, watched, signalled, and what it left looked at.
#pragma once

#include "core/clocks.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "core/scenario_toml.hpp"
#include "core/tally.hpp"
#include "experiments/report/report.hpp"
#include "experiments/run/child_process.hpp"
#include "experiments/run/interrupts.hpp"
#include "tests/places.hpp"
#include "tests/temporary_directory.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {

// A bench of two workers and ten places, overloaded: 200 requests/s for 100/s of service.
inline std::string bench(const std::string& rest) {
  return "[experiment]\nname = \"bench\"\n[service]\nworkers = 2\nwork = \"20ms\"\nqueue = 10\n"
         "[client]\nrate = 200\ntimeout = \"100ms\"\n" +
         rest;
}

class RealProgram : public testing::Test {
 protected:
  std::unique_ptr<ChildProcess> start(std::vector<std::string> arguments,
                                      const std::string& errors = "errors") {
    return std::make_unique<ChildProcess>(program_path(), std::move(arguments),
                                          directory_.file(errors));
  }
  template <typename Done>
  void wait(ChildProcess& process, Done done) {
    ChildProcess* const all[] = {&process};
    const Instant limit = steady_now() + std::chrono::seconds(100);
    while (!done()) {
      ASSERT_LT(steady_now(), limit) << "still waiting";
      await(all, interrupts_, steady_now() + std::chrono::milliseconds(20));
    }
  }
  int finish(ChildProcess& process) {
    wait(process, [&] { return !process.running(); });
    if (process.running()) return -1;
    EXPECT_EQ(process.ended()->signal, 0);
    return process.ended()->exit_code;
  }
  int execute(std::vector<std::string> arguments) { return listen_to(start(std::move(arguments))); }
  // The program started by a shell that first says something: a limit, where its output goes.
  int execute_in_shell(const std::string& script, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-c", script, program_path()});
    return listen_to(
        std::make_unique<ChildProcess>("/bin/sh", std::move(arguments), directory_.file("errors")));
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
      for (const auto& entry :
           std::filesystem::recursive_directory_iterator(out + "/arms", error)) {
        const std::string path = entry.path().string();
        if (path.find(arm) != path.npos && path.ends_with("attempts-0.bin") &&
            std::filesystem::file_size(entry.path(), error) > 1000) {
          return true;
        }
      }
      return !run.running();
    });
    ASSERT_TRUE(run.running()) << run.last_error();
  }

  int listen_to(std::unique_ptr<ChildProcess> process) {
    const int code = finish(*process);
    output_ = process->output();
    error_ = process->last_error();
    return code;
  }

  TemporaryDirectory directory_;
  Interrupts interrupts_;
  std::string output_;
  std::string error_;
};

inline void expect_identities(const Report& report) {
  for (const ArmReport& arm : report.arms) {
    for (const Try& t : arm.tries) {
      EXPECT_THAT(broken_identities(t.tally.counts), testing::IsEmpty()) << arm.name;
    }
  }
}

}  // namespace retrystorm
