#include "experiments/evidence/plausible.hpp"

#include "tests/experiments/evidence/hand_made_ledger.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

constexpr std::int64_t origin = HandMadeLedger::origin;
constexpr std::int64_t hour = 3'600'000'000'000;

class Plausible : public testing::Test {
 protected:
  AttemptRecord attempt(std::int64_t sent, std::int64_t ended) {
    return ledger_.attempt(0, 0, AttemptOutcome::succeeded, sent, ended);
  }
  RequestRecord request(std::int64_t scheduled, std::int64_t finished) {
    return ledger_.request(0, RequestOutcome::succeeded, scheduled, finished);
  }
  ArrivalRecord arrival(Disposition disposition = Disposition::completed) {
    return ledger_.arrival(0, 0, disposition);
  }

  HandMadeLedger ledger_;
  const RunBounds run_ = bounds_of(Scenario{}, origin);
};

TEST_F(Plausible, IsWhatARunWrites) {
  EXPECT_EQ(implausible(attempt(0, 1000), run_), "");
  EXPECT_EQ(implausible(attempt(5, 5), run_), "") << "at once";
  EXPECT_EQ(implausible(request(0, 1000), run_), "");
  for (const Disposition d : {Disposition::completed, Disposition::refused, Disposition::skipped,
                              Disposition::unfinished}) {
    EXPECT_EQ(implausible(arrival(d), run_), "");
  }
}

TEST_F(Plausible, IsNoEndBeforeItsBeginning) {
  EXPECT_EQ(implausible(attempt(1000, 999), run_), "ended before it was sent");
  EXPECT_EQ(implausible(request(1000, 999), run_), "finished before it was scheduled");
  ArrivalRecord early = arrival();
  early.picked = early.started = early.arrived - 1;
  EXPECT_EQ(implausible(early, run_), "picked before it arrived");
  ArrivalRecord hasty = arrival();
  hasty.started = hasty.picked + 1;
  EXPECT_EQ(implausible(hasty, run_), "started before it arrived or after it was picked");
  ArrivalRecord overdue = arrival();
  overdue.due = overdue.started - 1;
  EXPECT_EQ(implausible(overdue, run_), "due before it was started");
  ArrivalRecord undone = arrival();
  undone.finished = undone.picked - 1;
  EXPECT_EQ(implausible(undone, run_), "finished before it was picked");
  ArrivalRecord foretold = arrival();
  foretold.replied = foretold.finished - 1;
  EXPECT_EQ(implausible(foretold, run_), "replied to before it was ready");
}

TEST_F(Plausible, IsNothingOutsideTheRun) {
  EXPECT_EQ(implausible(attempt(-1, 1000), run_), "sent outside the run");
  EXPECT_EQ(implausible(attempt(0, 10 * hour), run_), "ended outside the run");
  EXPECT_EQ(implausible(request(-1, 1000), run_), "scheduled outside the run");
  const std::int64_t length = Scenario{}.client.duration.count();
  EXPECT_EQ(implausible(request(length, length), run_), "") << "one gap after the last";
  EXPECT_EQ(implausible(request(length + 1, length + 2), run_), "scheduled outside the run");
  EXPECT_EQ(implausible(request(0, 10 * hour), run_), "finished outside the run");
  ArrivalRecord late = arrival();
  late.replied += 10 * hour;
  EXPECT_EQ(implausible(late, run_), "ended outside the run");
  ArrivalRecord lost = arrival(Disposition::unfinished);
  lost.arrived -= 10 * hour;
  EXPECT_EQ(implausible(lost, run_), "arrived outside the run");
}

TEST_F(Plausible, LooksAtNoInstantThatMeansNothing) {
  AttemptRecord open = attempt(1000, 0);
  open.outcome = AttemptOutcome::unfinished;
  EXPECT_EQ(implausible(open, run_), "");
  RequestRecord waiting = request(1000, 0);
  waiting.outcome = RequestOutcome::unfinished;
  EXPECT_EQ(implausible(waiting, run_), "");
}

// A stranger may come while the service waits for the generator.
TEST_F(Plausible, IsAnArrivalBeforeTheScheduleBegins) {
  ArrivalRecord stranger = arrival(Disposition::refused);
  stranger.token = 0;
  stranger.arrived -= 5'000'000'000;
  stranger.replied = stranger.arrived;
  EXPECT_EQ(implausible(stranger, run_), "");
}

}  // namespace
}  // namespace retrystorm
