// What a ledger says about its world.
#include "experiments/evidence/calibrate.hpp"

#include "tests/experiments/evidence/hand_made_ledger.hpp"
#include "tests/temporary_directory.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

Calibration calibration_of(const HandMadeLedger& hand, const Scenario& scenario) {
  const TemporaryDirectory directory;
  hand.write(directory.path());
  Database database = open_ledger(directory.file("run.sqlite"));
  const TryKey key{"arm", 0};
  import_ledgers(database, key, HandMadeLedger::token, scenario, directory.path());
  return calibrate(database, key, scenario);
}

// 100 requests: each second one on a new connection, which takes 90 us longer to arrive; 20 us
// there, 15 us back; the k-th works 20 ms + k us.
HandMadeLedger uneven_ways() {
  HandMadeLedger hand;
  for (std::int64_t k = 0; k < 100; ++k) {
    const bool kept = k % 2 == 0;
    const std::int64_t sent = k * 1'000'000 + 3 * us;
    const std::int64_t arrived = sent + (kept ? 20 * us : 110 * us);
    const std::int64_t finished = arrived + 20'000 * us + k * us;
    const auto number = static_cast<std::uint64_t>(k);
    hand.request(number, RequestOutcome::succeeded, k * 1'000'000, finished + 15 * us);
    hand.attempt(number, 0, AttemptOutcome::succeeded, sent, finished + 15 * us).reused =
        kept ? 1 : 0;
    hand.arrival(number, 0, Disposition::completed, arrived, finished);
  }
  return hand;
}

TEST(Calibration, TakesTheWaysAndTheWorkFromTheLedger) {
  const Calibration c = calibration_of(uneven_ways(), Scenario{});
  EXPECT_EQ(c.scenario.network.round_trip, 35us);
  EXPECT_EQ(c.noise.connect, 90us);
  EXPECT_EQ(c.noise.path, 0us) << "the ways of kept connections do not vary here";
  EXPECT_EQ(c.scenario.service.work, 20'049'500ns) << "the mean of what was measured";
  ASSERT_EQ(c.work.size(), 100U);
  EXPECT_EQ(c.work[7], 20'007us) << "in the order of the starts";
  ASSERT_EQ(c.first_sends.size(), 100U);
  EXPECT_EQ(c.first_sends[7], instant_at(7ms + 3us));
}

TEST(Calibration, TakesHowLateTheLoopWakesFromTheTimeouts) {
  HandMadeLedger hand = uneven_ways();
  for (std::uint64_t k = 100; k < 200;
       ++k) {  // late by 10 and 50 us in turn: 20 us beyond the least, in the mean
    hand.request(k, RequestOutcome::gave_up);
    const std::int64_t late = k % 2 == 0 ? 10 * us : 50 * us;
    hand.attempt(k, 0, AttemptOutcome::timed_out, 0, 100'000 * us + late);
  }
  EXPECT_EQ(calibration_of(hand, Scenario{}).noise.wake, 20us);
}

TEST(Calibration, OfAnEmptyLedgerLeavesTheScenarioAsItIs) {
  const Calibration c = calibration_of(HandMadeLedger{}, Scenario{});
  EXPECT_EQ(c.scenario.service.work, 20ms);
  EXPECT_TRUE(c.first_sends.empty());
}

}  // namespace
}  // namespace retrystorm
