#include "experiments/run/child_process.hpp"

#include "core/clocks.hpp"
#include "core/error.hpp"
#include "experiments/run/interrupts.hpp"
#include "tests/temporary_directory.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using testing::HasSubstr;

class Child : public testing::Test {
 protected:
  // A shell as the child; it may take its time on a busy machine.
  std::unique_ptr<ChildProcess> shell(const std::string& script) {
    return std::make_unique<ChildProcess>("/bin/sh", std::vector<std::string>{"-c", script},
                                          directory_.file("errors"));
  }
  template <typename Done>
  void wait(ChildProcess& process, Done done) {
    const Instant deadline = steady_now() + 60s;
    ChildProcess* const all[] = {&process};
    while (!done() && steady_now() < deadline) {
      await(all, interrupts_, deadline);
    }
    ASSERT_TRUE(done());
  }
  void wait_for_end(ChildProcess& process) {
    wait(process, [&] { return !process.running(); });
  }

  TemporaryDirectory directory_;
  Interrupts interrupts_;
};

TEST_F(Child, GivesItsOutputAndExitCode) {
  const auto child = shell("echo out; echo first >&2; echo last >&2; exit 7");
  wait_for_end(*child);
  EXPECT_EQ(child->output(), "out\n");
  EXPECT_EQ(child->last_error(), "last");
  EXPECT_EQ(child->ended()->exit_code, 7);
  EXPECT_EQ(child->ended()->signal, 0);
  EXPECT_EQ(child->ended()->describe(), "exited with 7");
}

TEST_F(Child, GivesAllOfALongOutput) {
  const auto child = shell("head -c 1000000 /dev/zero");
  wait_for_end(*child);
  EXPECT_EQ(child->output().size(), 1'000'000U);
}

TEST_F(Child, TellsWhichSignalKilledIt) {
  const auto child = shell("echo ready; exec sleep 600");
  wait(*child, [&] { return child->output() == "ready\n"; });
  child->signal(SIGKILL);
  wait_for_end(*child);
  EXPECT_EQ(child->ended()->signal, SIGKILL);
  EXPECT_THAT(child->ended()->describe(), HasSubstr("killed by signal 9"));
}

TEST_F(Child, CountsTheCpuTimeItSpent) {
  const auto child = shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done");
  wait_for_end(*child);
  EXPECT_GT(child->ended()->user_s + child->ended()->system_s, 0);
  EXPECT_GT(child->ended()->wall_s, 0);
}

TEST_F(Child, StandsInAGroupOfItsOwnSoThatCtrlCPassesItBy) {
  const auto child = shell("echo ready; exec sleep 600");
  wait(*child, [&] { return child->output() == "ready\n"; });
  EXPECT_EQ(::getpgid(child->pid()), child->pid());
}

TEST_F(Child, IsGoneWhenItsOwnerIsGone) {
  auto child = shell("echo ready; exec sleep 600");
  wait(*child, [&] { return child->output() == "ready\n"; });
  const int pid = child->pid();
  child.reset();
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST_F(Child, DiesWithItsParentHoweverThatDies) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    // The child inherits the pipe's end; it closes only when both are gone.
    ChildProcess child("/bin/sh", {"-c", "exec sleep 600"}, "/dev/null");
    const int pid = child.pid();
    if (::write(pipe[1], &pid, sizeof pid) < 0) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  ::close(pipe[1]);
  int pid = 0;
  ASSERT_EQ(::read(pipe[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  ASSERT_GT(pid, 0);
  ::waitpid(parent, nullptr, 0);
  char end = 0;
  EXPECT_EQ(::read(pipe[0], &end, 1), 0);  // blocks while the grandchild lives
  ::close(pipe[0]);
}

TEST_F(Child, ThatCannotBeExecutedSaysSo) {
  ChildProcess child("/no/such/program", {}, directory_.file("errors"));
  wait_for_end(child);
  EXPECT_NE(child.ended()->exit_code, 0);
  EXPECT_THAT(child.last_error(), HasSubstr("cannot be executed"));
}

TEST_F(Child, NeedsAPlaceForItsErrors) {
  EXPECT_THROW(ChildProcess("/bin/true", {}, "/no/such/place"), RunFailed);
}

TEST(Interrupts, CountWhatTheUserAsked) {
  Interrupts interrupts;
  EXPECT_EQ(interrupts.count(), 0);
  ::kill(::getpid(), SIGINT);
  EXPECT_EQ(interrupts.count(), 1);
  ::kill(::getpid(), SIGTERM);
  EXPECT_EQ(interrupts.count(), 2);
  EXPECT_EQ(interrupts.count(), 2);
}

}  // namespace
}  // namespace retrystorm
