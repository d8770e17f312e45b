// What the two machines require of their drivers, in builds that hold them to it.
#include "core/client.hpp"
#include "core/station.hpp"
#include "tests/instants.hpp"

#include <gtest/gtest.h>

#ifndef NDEBUG
namespace retrystorm {
namespace {
using namespace std::chrono_literals;

struct Nobody {
  void started(const Job&) {}
  void completed(const Job&) {}
};

// One worker, busy from 10 ms to 30 ms.
class StationDeathTest : public testing::Test {
 protected:
  StationDeathTest() { station_.arrive(1, at(10ms), nobody_); }

  static Scenario scenario() {
    Scenario s;
    s.service.workers = 1;
    return s;
  }
  Station station_{scenario(), Work(scenario())};
  Nobody nobody_;
};

TEST_F(StationDeathTest, AnArrivalComesAfterWhatIsDue) {
  EXPECT_DEATH(station_.arrive(2, at(30ms), nobody_), "next_due");
}

TEST_F(StationDeathTest, TimeNeverGoesBackwards) {
  EXPECT_DEATH(station_.advance(at(9ms), nobody_), "in_order");
  EXPECT_DEATH(station_.arrive(2, at(9ms), nobody_), "in_order");
}

TEST_F(StationDeathTest, NothingAdvancesToNever) {
  EXPECT_DEATH(station_.advance(never, nobody_), "never");
}

TEST_F(StationDeathTest, OnlySpinningWorkTellsItsOwnEnd) {
  EXPECT_DEATH(station_.finished({1, at(10ms)}, at(20ms), nobody_), "spin");
}

// Ten requests a second; the first has been sent and times out at 100 ms.
class ClientDeathTest : public testing::Test {
 protected:
  static Scenario scenario() {
    Scenario s;
    s.client.rate = 10;
    s.client.retries = 1;
    s.client.backoff = 50ms;
    return s;
  }
  Client client_{scenario(), Arrivals(scenario())};
  AttemptKey sent_ = client_.offer(at(0ms)).attempt.key;
};

TEST_F(ClientDeathTest, NothingIsTakenBeforeItIsDue) {
  EXPECT_DEATH(client_.offer(at(99ms)), "next_offer");
  EXPECT_DEATH(client_.timeout(at(99ms)), "next_timeout");
  EXPECT_DEATH(client_.retry(at(1s)), "next_retry");
  client_.ended(sent_, AttemptOutcome::rejected, at(1ms));
  EXPECT_DEATH(client_.retry(at(50ms)), "next_retry");
}

TEST_F(ClientDeathTest, AnAttemptEndsOnce) {
  client_.ended(sent_, AttemptOutcome::succeeded, at(1ms));
  EXPECT_DEATH(client_.ended(sent_, AttemptOutcome::timed_out, at(100ms)), "live");
  EXPECT_DEATH(client_.not_made(sent_, Reason::ports), "live");
  EXPECT_DEATH(client_.describe(sent_), "live");
}

TEST_F(ClientDeathTest, SendsAndEndsComeInTheOrderOfTheirInstants) {
  const AttemptKey second = client_.offer(at(100ms)).attempt.key;
  EXPECT_DEATH(client_.ended(second, AttemptOutcome::rejected, at(99ms)), "in_order");
}

TEST_F(ClientDeathTest, AfterStopNothingIsOffered) {
  client_.stop([](const Final&) {});
  EXPECT_DEATH(client_.offer(at(1s)), "next_offer");
}

}  // namespace
}  // namespace retrystorm
#endif
