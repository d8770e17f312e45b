// What people read while they wait for a run.
#include "experiments/run/run_progress.hpp"

#include "experiments/run/pace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::StartsWith;

Progress third_of_eight() {
  Progress progress;
  progress.arm = "rate=1200 retries=2";
  progress.number = 3;
  progress.of = 8;
  progress.elapsed = 4s;
  progress.duration = 6s;
  progress.left = 40s;
  return progress;
}

Try judged(bool trusted, std::vector<std::string> reasons = {}) {
  Try made;
  made.status = TryStatus::done;
  made.trusted = trusted;
  made.reasons = std::move(reasons);
  return made;
}

TEST(RunProgress, SaysWhatIsDoneOfWhatAndHowLongItStillTakes) {
  Progress progress = third_of_eight();
  EXPECT_EQ(progress_line(progress, 80), "[3 of 8] rate=1200 retries=2  4 of 6 s, about 40 s left");
  progress.again = 1;
  progress.left = 20min;
  EXPECT_EQ(progress_line(progress, 80),
            "[3 of 8] rate=1200 retries=2, try 2  4 of 6 s, about 20 min left");
}

TEST(RunProgress, FitsTheTerminal) {
  const std::string name(200, 'a');
  Progress progress = third_of_eight();
  progress.arm = name;
  for (const std::size_t width : {50, 80, 120}) {
    const std::string line = progress_line(progress, width);
    EXPECT_LT(line.size(), width);
    EXPECT_THAT(line, EndsWith("...  4 of 6 s, about 40 s left"));
  }
  EXPECT_LT(progress_line(progress, 40).size(), 40U);
}

TEST(RunProgress, OnAPipeIsALineAnArm) {
  const Try made = judged(true);
  Progress progress = third_of_eight();
  progress.judged = &made;
  EXPECT_EQ(judged_line(progress, false),
            "[3 of 8] rate=1200 retries=2: measured in 4.0 s; about 40 s left");
  progress.number = 8;
  EXPECT_EQ(judged_line(progress, false), "[8 of 8] rate=1200 retries=2: measured in 4.0 s");
  EXPECT_EQ(judged_line(progress, true), "") << "there the line is written over";
}

TEST(RunProgress, SaysEverywhereWhyATryIsRepeated) {
  const Try made = judged(false, {"send lag p99 is 2.1 ms, over 1ms", "6 \x1b ports"});
  Progress progress = third_of_eight();
  progress.judged = &made;
  progress.will_repeat = true;
  for (const bool terminal : {false, true}) {
    EXPECT_EQ(judged_line(progress, terminal),
              "[3 of 8] rate=1200 retries=2: measured again, since it is not trusted: send lag p99 "
              "is 2.1 ms, over 1ms; 6 \\x1b ports");
    progress.will_repeat = false;
    EXPECT_THAT(judged_line(progress, terminal),
                StartsWith("[3 of 8] rate=1200 retries=2: not trusted: send lag p99"));
    progress.will_repeat = true;
  }
}

TEST(RunProgress, OfATryThatFailedSaysWhy) {
  Try made = judged(false, {"failed: the service was killed"});
  made.status = TryStatus::failed;
  Progress progress = third_of_eight();
  progress.judged = &made;
  EXPECT_THAT(judged_line(progress, true),
              EndsWith("retries=2: not measured: failed: the service was killed"));
}

TEST(Pace, OfARunIsItsSendingAndWhatTheTriesTookBeyondIt) {
  Pace pace;
  EXPECT_EQ(pace.left(10s, 4), 10s) << "nothing is known yet";
  pace.add(8s, 6s);
  pace.add(10s, 6s);
  EXPECT_EQ(pace.left(10s, 4), 22s);
  EXPECT_EQ(pace.left(0s, 0), 0s);
}

}  // namespace
}  // namespace retrystorm
