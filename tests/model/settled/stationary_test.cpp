// The settled state: fixed points that satisfy their equation, folds where their number changes,
// and the service's laws against the event simulation.
#include "model/settled/stationary.hpp"

#include "core/error.hpp"
#include "model/capacity/mmcn.hpp"
#include "model/simulate/simulate.hpp"
#include "tests/model/scenarios.hpp"
#include "tests/seed.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

std::vector<SettledState> states_of(const Scenario& s) {
  const SettledService service(s);
  return settled_states(
      s.client.rate, RetryRule(s.client), [&](double rate) { return service.shares(rate); },
      ceiling(s), static_cast<double>(s.service.workers + queue_places(s)));
}

TEST(Stationary, IsTheClosedFormWithoutRetries) {
  for (const double rate : {600.0, 950.0, 1100.0}) {
    const Scenario s = scenario_of(ArrivalProcess::poisson, WorkShape::exponential, rate);
    const Tally t = stationary(s);
    const auto m = capacity::mmcn(rate, 50, 20, 120);
    EXPECT_NEAR(*t.settled.goodput_per_s, capacity::mmcn_goodput_per_s(m, rate, 50, 20, 0.0998),
                1e-9 * rate);
    EXPECT_NEAR(*t.refused_share, m.p_block, 1e-12);
    EXPECT_NEAR(*t.settled.throughput_per_s, m.throughput_per_s, 1e-9 * rate);
    EXPECT_EQ(t.fixed_points.size(), 1U);
    EXPECT_NEAR(*t.settled.amplification, 1, 1e-12);
    EXPECT_TRUE(t.approximations.empty());
    EXPECT_FALSE(t.counts.offered);
    EXPECT_FALSE(t.whole.goodput_per_s);
  }
}

// `mine` within four standard errors of the mean over the band's seeds, and `known` beside.
void expect_in_band(const Tally& band, const char* path, double mine, double known) {
  const Spread& spread = band.spread.at(path);
  EXPECT_NEAR(mine, spread.mean, 4 * spread.sd / std::sqrt(8.0) + known) << path;
}

TEST(Stationary, AgreesWithLongSimulationsForEveryKindOfArrivalsAndWork) {
  const Seed seed(1);
  for (const auto arrivals : {ArrivalProcess::even, ArrivalProcess::poisson}) {
    for (const auto work : {WorkShape::fixed, WorkShape::exponential}) {
      for (const double rate : {900.0, 1050.0}) {
        Scenario s = scenario_of(arrivals, work, rate);
        s.client.duration = 15s;
        s.settle = 5s;
        s.seed = seed.value<std::int64_t>();
        const Tally t = stationary(s);
        const Tally m = simulate_band(s, 8);
        SCOPED_TRACE(testing::Message()
                     << static_cast<int>(arrivals) << static_cast<int>(work) << " " << rate);
        // Half a point in time is what M/D/c/K may be off.
        const bool exact = SettledService(s).exact();
        expect_in_band(m, "settled.goodput_per_s", *t.settled.goodput_per_s,
                       (exact ? 0.001 : 0.005) * rate);
        expect_in_band(m, "settled.throughput_per_s", *t.settled.throughput_per_s, 0.001 * rate);
        expect_in_band(m, "settled.abandoned_share", t.settled.abandoned_share.value_or(0),
                       exact ? 0.001 : 0.005);
        // The quantiles cover the whole run, its filling too: compared where that is short.
        if (rate < 1000) {
          EXPECT_NEAR(*t.attempt.p50, *m.attempt.p50, 0.05 * *m.attempt.p50);
          EXPECT_NEAR(*t.attempt.mean, *m.attempt.mean, 0.05 * *m.attempt.mean);
          EXPECT_NEAR(*t.attempt.p99, *m.attempt.p99, 0.08 * *m.attempt.p99);
        }
      }
    }
  }
}

TEST(Stationary, SettlesToNothingOnTheTieOfTheBench) {
  // Even arrivals, fixed work, above the ceiling: 79 places all serve in time, 80 none.
  Scenario s = scenario_of(ArrivalProcess::even, WorkShape::fixed, 1200);
  s.service.queue = 79;
  EXPECT_NEAR(*stationary(s).settled.goodput_per_s, 1000, 1e-6);
  s.service.queue = 80;
  EXPECT_NEAR(*stationary(s).settled.goodput_per_s, 0, 1e-6);
}

TEST(FixedPoints, SatisfyTheirEquation) {
  for (const auto work : {WorkShape::fixed, WorkShape::exponential}) {
    for (const Duration backoff : {0ms, 500ms}) {
      for (const double rate : {400.0, 700.0, 900.0, 1300.0}) {
        Scenario s = scenario_of(ArrivalProcess::poisson, work, rate);
        s.client.retries = 3;
        s.client.backoff = backoff;
        const SettledService service(s);
        double last = 0;
        for (const SettledState& state : states_of(s)) {
          const AttemptShares shares = service.shares(state.epochs_per_s);
          const double back = backoff == 0ms ? shares.late : shares.late + shares.refused;
          const double expected = rate * (1 + back + back * back + back * back * back);
          EXPECT_NEAR(state.epochs_per_s, expected, 1e-8 * expected);
          // Requests that succeed at one of their attempts, summed by attempt.
          EXPECT_NEAR(state.goodput_per_s, state.epochs_per_s * shares.succeeded,
                      1e-8 * state.epochs_per_s);
          EXPECT_LE(state.goodput_per_s, rate * (1 + 1e-9));
          EXPECT_GT(state.epochs_per_s, last);
          last = state.epochs_per_s;
        }
      }
    }
  }
}

TEST(FixedPoints, LongAfterLoseExactlyTheRequestsWhoseEveryAttemptFails) {
  Scenario s = scenario_of(ArrivalProcess::poisson, WorkShape::exponential, 800);
  s.client.retries = 2;
  s.client.backoff = 1s;
  for (const SettledState& state : states_of(s)) {
    const double fail = state.shares.late + state.shares.refused;
    EXPECT_NEAR(state.goodput_per_s, 800 * (1 - fail * fail * fail), 1e-6);
  }
}

TEST(FixedPoints, AtOnceCountEveryAttemptOnce) {
  Scenario s = scenario_of(ArrivalProcess::poisson, WorkShape::fixed, 1100);
  s.client.retries = 3;
  for (const SettledState& state : states_of(s)) {
    // attempts = in time + late + refused
    const double admitted = state.epochs_per_s * (1 - state.shares.refused);
    EXPECT_NEAR(state.attempts_per_s, admitted + state.refused_per_s, 1e-8 * state.attempts_per_s);
  }
}

TEST(Folds, AreWhereTheNumberOfSettledStatesChanges) {
  for (const auto work : {WorkShape::fixed, WorkShape::exponential}) {
    for (const Duration backoff : {0ms, 500ms}) {
      Scenario s = scenario_of(ArrivalProcess::poisson, work, 1000);
      s.client.retries = 2;
      s.client.backoff = backoff;
      const auto found = folds(s);
      ASSERT_TRUE(found);
      const auto states_at = [&](double rate) {
        s.client.rate = rate;
        return states_of(s).size();
      };
      EXPECT_EQ(states_at(found->upper.rate * 0.999), 3U);
      EXPECT_EQ(states_at(found->upper.rate * 1.001), 1U);
      EXPECT_EQ(states_at(found->lower.rate * 1.001), 3U);
      EXPECT_EQ(states_at(found->lower.rate * 0.999), 1U);
    }
  }
}

TEST(Folds, OfEvenArrivalsAreTheCeilingAndItsShare) {
  // No chance at all: good up to the ceiling, collapsed as long as 1 + r attempts overload it.
  Scenario s = scenario_of(ArrivalProcess::even, WorkShape::fixed, 900);
  s.client.retries = 3;
  const auto found = folds(s);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->upper.rate, 1000, 1e-3);
  EXPECT_NEAR(found->lower.rate, 250, 1e-3);
  const auto states = states_of(s);
  ASSERT_EQ(states.size(), 3U);
  EXPECT_NEAR(states[0].goodput_per_s, 900, 1e-6);
  EXPECT_NEAR(states[1].attempts_per_s, 1000, 1e-2);
  EXPECT_FALSE(states[1].stable);
  EXPECT_NEAR(states[2].attempts_per_s, 3600, 1e-6);
  EXPECT_NEAR(states[2].goodput_per_s, 0, 1e-9);
}

TEST(Folds, AreNoneWithoutRetriesOrWithAQueueThatStaysUseful) {
  Scenario s = scenario_of(ArrivalProcess::even, WorkShape::fixed, 900);
  EXPECT_FALSE(folds(s));
  s.client.retries = 3;
  s.service.queue = 60;
  s.client.retry_on = OutcomeSet::of(AttemptOutcome::timed_out);
  EXPECT_FALSE(folds(s));  // nobody is ever late
}

TEST(Stationary, AgreesWithTheSettledCollapseOfTheSimulation) {
  const Seed seed(1);
  // Deep in the collapsed branch, where there is one state and chance does not switch.
  Scenario s = scenario_of(ArrivalProcess::poisson, WorkShape::exponential, 1200);
  s.seed = seed.value<std::int64_t>();
  s.client.retries = 3;
  s.client.duration = 15s;
  s.settle = 5s;
  s.network.round_trip = 0ns;
  for (const Duration backoff : {0ms, 300ms}) {
    s.client.backoff = backoff;
    const Tally t = stationary(s);
    const Tally m = simulate_band(s, 8);
    expect_in_band(m, "settled.attempts_per_s", *t.settled.attempts_per_s,
                   0.006 * *t.settled.attempts_per_s);
    expect_in_band(m, "settled.goodput_per_s", *t.settled.goodput_per_s,
                   0.04 * *t.settled.goodput_per_s);
    expect_in_band(m, "settled.throughput_per_s", *t.settled.throughput_per_s, 1);
  }
}

TEST(Stationary, SaysHowFarItsApproximationMayBeOff) {
  Scenario s = scenario_of(ArrivalProcess::poisson, WorkShape::fixed, 950);
  EXPECT_EQ(stationary(s).approximations.size(), 1U);
  s.client.retries = 1;
  EXPECT_EQ(stationary(s).approximations.size(), 2U);
}

TEST(Stationary, TakesLognormalWorkOnlyAsAnApproximation) {
  Scenario s = scenario_of(ArrivalProcess::poisson, WorkShape::lognormal, 950);
  s.service.work_cv = 0.2;
  EXPECT_THROW(stationary(s), InvalidInput);
  const Tally near_fixed = stationary(s, true);
  s.service.work_shape = WorkShape::fixed;
  EXPECT_EQ(*near_fixed.settled.goodput_per_s, *stationary(s).settled.goodput_per_s);
}

}  // namespace
}  // namespace retrystorm
