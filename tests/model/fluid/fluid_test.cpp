// The fluid engine against the event simulation (which shares nothing with it but the scenario) and
// its two ways against each other.
#include "model/fluid/fluid.hpp"

#include "core/error.hpp"
#include "core/figures.hpp"
#include "model/fluid/fluid_flow.hpp"
#include "model/fluid/fluid_rounds.hpp"
#include "model/simulate/simulate.hpp"
#include "tests/model/fluid/same_counts.hpp"
#include "tests/seed.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

TEST(FluidByRounds, GivesEveryCountOfTheSimulationWithoutRetries) {
  for (const double rate : {200.0, 999.0, 1000.0, 1050.0, 1200.0, 1234.0, 1500.0, 4000.0}) {
    for (const std::int64_t queue : {0, 1, 30, 79, 80, 100, 250}) {
      for (const Duration round_trip : {0us, 200us, 7000us}) {
        Scenario s;
        s.client.rate = rate;
        s.service.queue = queue;
        s.network.round_trip = round_trip;
        s.client.duration = 2s;
        SCOPED_TRACE(testing::Message() << rate << "/s, queue " << queue << ", round trip "
                                        << format_duration(round_trip));
        const Tally f = fluid(s);
        const Tally m = simulate(s);
        expect_same_counts(f, m);
        // Windows and times are read off whole nanoseconds there, and off real numbers here.
        EXPECT_NEAR(*f.whole.seconds, *m.whole.seconds, 1e-7);
        EXPECT_NEAR(*f.settled.goodput_per_s, *m.settled.goodput_per_s, 1.0);
        EXPECT_NEAR(*f.settled.throughput_per_s, *m.settled.throughput_per_s, 1.0);
        EXPECT_NEAR(*f.settled.offered_per_s, *m.settled.offered_per_s, 1.0);
        if (m.attempt.mean) {
          EXPECT_NEAR(*f.attempt.mean, *m.attempt.mean, 1e-4);
        }
        if (m.attempt.max) {
          EXPECT_NEAR(*f.attempt.max, *m.attempt.max, 1e-4);
        }
        if (m.all.mean) {
          EXPECT_NEAR(*f.all.mean, *m.all.mean, 1e-4);
        }
      }
    }
  }
}

TEST(FluidByRounds, HonoursTheFirstArrivalAndATimeoutBelowTheWork) {
  Scenario s;
  s.client.rate = 1300;
  s.simulation.first_arrival = FirstArrival::gap;
  expect_same_counts(fluid(s), simulate(s));
  s.client.timeout = 15ms;
  expect_same_counts(fluid(s), simulate(s));
  EXPECT_EQ(fluid(s).counts.succeeded, 0);
}

TEST(FluidByRounds, SaysWhenTheQueuePassesItsUsefulLength) {
  Scenario s;
  s.client.rate = 1200;
  const auto passing = fluid_answer(s).passing;
  ASSERT_TRUE(passing);
  // Round after round waits 20 - 16.67 ms longer; the 25th (from 400 ms on) waits too long.
  EXPECT_NEAR(passing->late_from_s, 0.4, 1e-9);
  EXPECT_EQ(passing->succeeded_before, 480);
  s.service.queue = 79;
  EXPECT_FALSE(fluid_answer(s).passing);
}

TEST(FluidByFlow, AgreesWithTheClosedFormWithinItsGridWithoutRetries) {
  for (const double rate : {500.0, 950.0, 1050.0, 1200.0, 1500.0}) {
    for (const std::int64_t queue : {40, 80, 100, 300}) {
      Scenario s;
      s.client.rate = rate;
      s.service.queue = queue;
      SCOPED_TRACE(testing::Message() << rate << "/s, queue " << queue);
      const Tally flow = fluid_by_flow(s).tally;
      const Tally rounds = fluid_by_rounds(s).tally;
      // A step of the grid, a 64th of the work time, is 0.3 ms.
      const double grain = 2 + 0.0004 * rate;
      visit_counts(rounds.counts, [&](std::string_view name, const Count& expected) {
        visit_counts(flow.counts, [&](std::string_view mine, const Count& count) {
          if (mine == name) {
            EXPECT_NEAR(*count, *expected, grain) << name;
          }
        });
      });
      EXPECT_NEAR(*flow.settled.goodput_per_s, *rounds.settled.goodput_per_s, 5);
      EXPECT_NEAR(*flow.settled.throughput_per_s, *rounds.settled.throughput_per_s, 5);
      EXPECT_NEAR(*flow.whole.seconds, *rounds.whole.seconds, 2e-3);
      EXPECT_FALSE(flow.attempt.mean);  // to a step of its grid: not to a percent
    }
  }
}

TEST(FluidByFlow, IsWithinHalfAPercentOfAttemptsOfANoisySimulationBeyondTheUsefulQueue) {
  const Seed seed(1);
  for (const std::int64_t retries : {1, 2, 3}) {
    for (const double rate : {1050.0, 1200.0, 1500.0}) {
      for (const Duration backoff : {0ms, 50ms}) {
        Scenario s;
        s.client.retries = retries;
        s.client.rate = rate;
        s.client.backoff = backoff;
        s.seed = seed.value<std::int64_t>();
        SCOPED_TRACE(testing::Message() << retries << " retries, " << rate << "/s, backoff "
                                        << format_duration(backoff));
        const Tally f = fluid(s);
        const Tally m = simulate_band(s, 3, {nullptr, Noise{60us, 20us, 0us, 0us}});
        const auto simulated = [&](const char* name) {
          return m.spread.at(std::string("counts.") + name).mean;
        };
        const double bound = 0.005 * simulated("attempts");
        EXPECT_NEAR(*f.counts.attempts, simulated("attempts"), bound);
        EXPECT_NEAR(*f.counts.succeeded, simulated("succeeded"), bound);
        EXPECT_NEAR(*f.counts.rejected, simulated("rejected"), bound);
        EXPECT_NEAR(*f.counts.timed_out, simulated("timed_out"), bound);
        EXPECT_NEAR(*f.counts.completed, simulated("completed"), bound);
        EXPECT_NEAR(*f.settled.goodput_per_s, *m.settled.goodput_per_s, 0.01 * rate);
        EXPECT_NEAR(*f.settled.attempts_per_s, *m.settled.attempts_per_s,
                    0.01 * *m.settled.attempts_per_s);
      }
    }
  }
}

TEST(FluidByFlow, LeavesHealthyLoadAlone) {
  Scenario s;
  s.client.retries = 3;
  s.client.rate = 900;
  const Tally f = fluid(s);
  EXPECT_NEAR(*f.counts.attempts, 5400, 1e-6);
  EXPECT_NEAR(*f.counts.succeeded, 5400, 1e-6);
  EXPECT_NEAR(*f.settled.goodput_per_s, 900, 1e-6);
}

TEST(Fluid, KeepsTheIdentities) {
  for (const std::int64_t retries : {0, 1, 4}) {
    for (const double rate : {800.0, 1200.0, 3000.0}) {
      for (const Duration drain : {Duration(0ms), Duration(30ms), Duration(10s)}) {
        for (const Duration round_trip : {Duration(0ms), Duration(120ms)}) {
          Scenario s;
          s.client.retries = retries;
          s.client.rate = rate;
          s.client.backoff = retries == 4 ? 35ms : 0ms;
          s.drain_limit = drain;
          s.network.round_trip = round_trip;
          const Tally f = fluid(s);
          EXPECT_EQ(broken_identities(f.counts), std::vector<std::string>{})
              << retries << " " << rate << " " << format_duration(drain);
        }
      }
    }
  }
}

TEST(Fluid, CutsWhatTheDrainLimitCutsOff) {
  Scenario s;
  s.client.rate = 1200;
  s.drain_limit = 10ms;
  const Counts f = fluid_by_flow(s).tally.counts;
  const Counts m = simulate(s).counts;
  EXPECT_NEAR(*f.unfinished_attempts, *m.unfinished_attempts, 2);
  EXPECT_NEAR(*f.unfinished_requests, *m.unfinished_requests, 2);
  EXPECT_NEAR(*f.cut, *m.cut, 2);
  EXPECT_NEAR(*f.completed, *m.completed, 1e-6);
  expect_same_counts(fluid(s), simulate(s));
}

TEST(Fluid, RetriesOnlyWhatIsToBeRetried) {
  const Seed seed(1);
  Scenario s;
  s.seed = seed.value<std::int64_t>();
  s.client.rate = 1500;
  s.client.retries = 2;
  s.client.retry_on = OutcomeSet::of(AttemptOutcome::rejected);
  const Counts only_rejected = fluid(s).counts;
  // Nobody who timed out tries again: the refused make all the difference.
  const Tally m = simulate_band(s, 3, {nullptr, Noise{60us, 20us, 0us, 0us}});
  EXPECT_NEAR(*only_rejected.attempts, *m.counts.attempts, 0.1 * *m.counts.attempts);
  EXPECT_NEAR(*only_rejected.timed_out, *m.counts.timed_out, 0.01 * *m.counts.attempts);
  s.client.retry_on = OutcomeSet{};
  EXPECT_NEAR(*fluid(s).counts.attempts, 9000, 1e-6);
}

TEST(Fluid, TakesADayAsItTakesAMinute) {
  // Rounds that repeat themselves are added up, not followed.
  Scenario s;
  s.client.rate = 1200;
  s.client.retries = 2;
  s.client.duration = 24h;
  const Tally f = fluid(s);
  EXPECT_NEAR(*f.counts.offered, 1200.0 * 86400, 1);
  EXPECT_NEAR(*f.settled.attempts_per_s, 3600, 1);
  EXPECT_NEAR(*f.settled.throughput_per_s, 1000, 1);
  EXPECT_EQ(broken_identities(f.counts), std::vector<std::string>{});
}

TEST(Fluid, RefusesChanceAndSaysWhoCan) {
  Scenario s;
  s.client.arrivals = ArrivalProcess::poisson;
  try {
    fluid(s);
    FAIL() << "answered";
  } catch (const InvalidInput& error) {
    const std::string message = error.what();
    for (const char* part :
         {"engine fluid", "client.arrivals", "'poisson'", "simulate", "stationary", "markov"}) {
      EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  }
  const Tally approximate = fluid(s, true);
  ASSERT_EQ(approximate.approximations.size(), 1U);
  EXPECT_NE(approximate.approximations[0].find("client.arrivals"), std::string::npos);
  s.client.arrivals = ArrivalProcess::even;
  EXPECT_EQ(approximate.counts.succeeded, fluid(s).counts.succeeded);
}

}  // namespace
}  // namespace retrystorm
