// kill -9, of any process of a run, at any moment: what was written stays, and can be imported.
#include "core/ledger.hpp"
#include "tests/case_name.hpp"
#include "tests/experiments/verbs/end_to_end.hpp"
#include "tests/seed.hpp"

#include <algorithm>
#include <csignal>
#include <random>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using testing::AnyOf;
namespace fs = std::filesystem;

// Instants in nanoseconds of the clock that the ledgers are written in.
struct Ledgers {
  std::int64_t origin = INT64_MAX;  // of the schedule
  std::int64_t last_attempt = 0;    // when it ended
  std::int64_t last_arrival = 0;
  std::size_t attempts = 0;
  std::size_t arrivals = 0;
};

// What the first try of the only arm has left on the disk.
Ledgers ledgers_in(const std::string& out) {
  Ledgers found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(out + "/arms/001-bench/000", error)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".bin") || entry.file_size() < sizeof(RecordFileHeader)) continue;
    if (name.starts_with("attempts-")) {
      const auto content = read_ledger<AttemptRecord>(entry.path().string());
      found.origin = std::min(found.origin, content.header.origin);
      found.attempts += content.records.size();
      for (const AttemptRecord& r : content.records) {
        found.last_attempt = std::max(found.last_attempt, r.ended);
      }
    } else if (name.starts_with("arrivals-")) {
      const auto content = read_ledger<ArrivalRecord>(entry.path().string());
      found.arrivals += content.records.size();
      for (const ArrivalRecord& r : content.records) {
        found.last_arrival = std::max(found.last_arrival, r.arrived);
      }
    }
  }
  return found;
}

// Lets a run begin, kills one of its processes at a random moment, and waits until all are gone.
class KilledRun : public RealProgram {
 protected:
  struct Kill {
    std::chrono::milliseconds after{};
    std::int64_t at = 0;  // as the instants of Ledgers
    Ledgers written;      // what was on the disk just before
    int service = 0;      // 0: not running then
    int generator = 0;
    bool came_about = false;  // the victim was running
  };

  Kill kill_one(std::string_view verb, const std::string& file, const std::string& out,
                std::chrono::milliseconds most) {
    const auto run = start({"run", file, "--out", out, "--more-tries", "0"});
    wait(*run, [&] { return fs::exists(out + "/experiment.toml") || !run->running(); });
    Kill kill;
    kill.after = std::chrono::milliseconds(
        std::uniform_int_distribution<std::int64_t>(0, most.count())(random_));
    const Instant end = steady_now() + kill.after;
    wait(*run, [&] { return steady_now() > end || !run->running(); });
    kill.service = child_running(run->pid(), "serve");
    kill.generator = child_running(run->pid(), "load");
    const int victim = verb == "run" ? run->pid() : verb == "serve" ? kill.service : kill.generator;
    kill.written = ledgers_in(out);
    kill.at = nanoseconds_of(steady_now());
    kill.came_about = victim != 0;
    if (kill.came_about) ::kill(victim, SIGKILL);
    wait(*run, [&] { return !run->running(); });
    for (const int pid : {kill.service, kill.generator}) {
      if (pid != 0) wait(*run, [&] { return ::kill(pid, 0) != 0; });
    }
    return kill;
  }

 private:
  const Seed seed_{std::random_device{}()};  // another one each time: the moments add up over runs
  std::mt19937_64 random_{seed_.value()};
};

class KilledProcess : public KilledRun, public testing::WithParamInterface<const char*> {};

TEST_P(KilledProcess, LosesNothingThatWasWrittenAndTheRestCanBeImported) {
  const std::string victim = GetParam();
  const std::string file = directory_.write("e.toml", bench("duration = \"2s\"\n"));
  std::int64_t at_work = 0;
  std::int64_t lost = 0;
  for (int round = 0; round < 8; ++round) {
    const std::string out = directory_.file(fmt::format("run{}", round));
    const Kill kill = kill_one(victim, file, out, 2500ms);
    const Ledgers left = ledgers_in(out);
    EXPECT_GE(left.attempts, kill.written.attempts) << kill.after.count() << " ms";
    EXPECT_GE(left.arrivals, kill.written.arrivals) << kill.after.count() << " ms";
    // Both processes were at work, and had been for many writes.
    if (kill.service != 0 && kill.generator != 0 && left.origin < kill.at - Duration(1s).count()) {
      const std::int64_t last = std::min(left.last_attempt, left.last_arrival);
      at_work += kill.at - left.origin;
      lost += std::max<std::int64_t>(kill.at - last, 0);
    }
    const bool whole = fs::exists(out + "/report.json");
    const int code = execute({"report", out, "--json"});
    EXPECT_THAT(code, AnyOf(0, 3)) << kill.after.count() << " ms: " << error_;
    const Report report = report_in(out);
    expect_identities(report);
    if (victim == "run" && !whole) {
      EXPECT_TRUE(report.partial || report.arms[0].status == "done") << report.arms[0].status;
    } else if (kill.came_about && report.arms[0].status != "failed") {
      // It had done its work and was on its way out.
      EXPECT_EQ(report.arms[0].status, "done");
    }
  }
  EXPECT_LE(lost, at_work / 2) << "ns: the ledgers are written as the run goes";
}

INSTANTIATE_TEST_SUITE_P(Processes, KilledProcess, testing::Values("run", "serve", "load"),
                         [](const auto& verb) { return case_name(verb.param); });

TEST_F(KilledRun, LeavesNothingRunningAndEveryArmInItsReport) {
  const std::string file = directory_.write(
      "e.toml", bench("duration = \"400ms\"\n[matrix]\n\"client.retries\" = [0, 1, 2]\n"));
  int partial = 0;
  for (int round = 0; round < 8; ++round) {
    const std::string out = directory_.file(fmt::format("run{}", round));
    const Kill kill = kill_one("run", file, out, 1200ms);
    const bool whole = fs::exists(out + "/report.json");
    const int code = execute({"report", out, "--json"});
    EXPECT_THAT(code, AnyOf(0, 3)) << kill.after.count() << " ms: " << error_;
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

}  // namespace
}  // namespace retrystorm
