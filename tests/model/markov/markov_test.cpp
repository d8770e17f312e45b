// The Markov engine: the transient against its own steps and limits, the expected run against the
// simulation and the reference's finite runs, hitting times against a sparse solver.
#include "model/markov/markov.hpp"

#include "core/error.hpp"
#include "model/capacity/mmcn.hpp"
#include "model/honours.hpp"
#include "model/markov/hitting_time.hpp"
#include "model/markov/metastable.hpp"
#include "model/markov/transient.hpp"
#include "model/settled/stationary.hpp"
#include "model/simulate/simulate.hpp"
#include "tests/model/reference.hpp"
#include "tests/seed.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>

#include <Eigen/Sparse>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

Scenario exponential_scenario(double rate) {
  Scenario s;
  s.client.rate = rate;
  s.client.arrivals = ArrivalProcess::poisson;
  s.service.work_shape = WorkShape::exponential;
  return s;
}

TEST(QueueInTime, IsTheSameInOneStepAndInMany) {
  QueueInTime once(50, 20, 60, 3);
  QueueInTime often(50, 20, 60, 3);
  once.advance(0.7, 1000);
  for (int i = 0; i < 35; ++i) often.advance(0.02, 1000);
  for (std::size_t n = 0; n <= 60; ++n) {
    EXPECT_NEAR(once.law()[n], often.law()[n], 1e-12 * once.law()[n]);
    EXPECT_NEAR(once.integral()[n], often.integral()[n], 1e-12);
  }
}

TEST(QueueInTime, CountsEverybody) {
  QueueInTime q(50, 20, 120, 7);
  q.advance(1.3, 1100);
  EXPECT_NEAR(std::accumulate(q.law().begin(), q.law().end(), 0.0), 1, 1e-12);
  EXPECT_NEAR(std::accumulate(q.integral().begin(), q.integral().end(), 0.0), 1.3, 1e-12);
  // In the system = there at first + admitted - completed.
  const double admitted = 1100 * (1.3 - q.seconds_full());
  EXPECT_NEAR(q.mean_in_system(), 7 + admitted - q.completions(), 1e-9);
}

TEST(QueueInTime, SettlesToTheStationaryLaw) {
  QueueInTime q(50, 20, 60, 60);
  q.advance(3600, 950);
  const auto settled = capacity::mmcn_probabilities(950, 50, 20, 60);
  for (std::size_t n = 0; n <= 60; ++n) EXPECT_NEAR(q.law()[n], settled[n], 1e-9 * settled[n]);
}

TEST(QueueInTime, EmptiesWithoutArrivals) {
  // Pure death from 20 busy: each is still there with probability e^{-mu t}.
  QueueInTime q(50, 20, 120, 20);
  q.advance(0.05, 0);
  const double stays = std::exp(-2.5);
  EXPECT_NEAR(q.mean_in_system(), 20 * stays, 1e-12);
  EXPECT_NEAR(q.law()[20], std::pow(stays, 20), 1e-12 * std::pow(stays, 20));
}

TEST(Markov, IsTheReferencesFiniteRunsWithoutRetries) {
  // The entries are means over 2,000 replications of a simulator; their counts stop at H = 6 s.
  for (const reference::Entry& e : reference::all_entries()) {
    if (e.id != "run_M_0_r0_800" && e.id != "run_M_0_r0_900" && e.id != "run_M_0_r0_1050") continue;
    Scenario s = exponential_scenario(e.param("lambda"));
    s.network.round_trip = 0ns;
    s.settle = 0s;
    s.simulation.first_arrival = FirstArrival::gap;
    const Tally t = markov(s);
    const auto four_errors = [&](const char* name) {
      return 4 * e.values.at(name).at("se").to_number<double>();
    };
    EXPECT_NEAR(*t.counts.offered, e.value("arrivals"), four_errors("arrivals")) << e.id;
    EXPECT_NEAR(*t.counts.rejected, e.value("rejected"), four_errors("rejected") + 1e-2) << e.id;
    // Successes replied to by H: the settled window of a run that is settled from the start.
    EXPECT_NEAR(*t.settled.goodput_per_s * 6, e.value("good"), four_errors("good")) << e.id;
  }
}

TEST(Markov, AgreesWithTheMeanOfManySimulatedRuns) {
  const Seed seed(1);
  for (const double rate : {900.0, 1050.0, 1500.0}) {
    Scenario s = exponential_scenario(rate);
    s.client.duration = 3s;
    s.seed = seed.value<std::int64_t>();
    const Tally t = markov(s);
    const Tally m = simulate_band(s, 60);
    const auto expect_mean = [&](const char* path, double mine) {
      const Spread& spread = m.spread.at(path);
      EXPECT_NEAR(mine, spread.mean, 4 * spread.sd / std::sqrt(60.0) + 0.05) << rate << " " << path;
    };
    expect_mean("counts.offered", *t.counts.offered);
    expect_mean("counts.succeeded", *t.counts.succeeded);
    expect_mean("counts.rejected", *t.counts.rejected);
    expect_mean("counts.abandoned", *t.counts.abandoned);
    expect_mean("counts.abandoned_seen", *t.counts.abandoned_seen);
    expect_mean("counts.completed", *t.counts.completed);
    expect_mean("settled.goodput_per_s", *t.settled.goodput_per_s);
    expect_mean("settled.throughput_per_s", *t.settled.throughput_per_s);
    EXPECT_NEAR(*t.whole.seconds, m.spread.at("whole.seconds").mean, 0.02);
  }
}

TEST(Markov, FollowsRetriesIntoTheCollapse) {
  const Seed seed(1);
  // Away from the loads where chance decides between two states.
  for (const double rate : {700.0, 1300.0}) {
    for (const Duration backoff : {0ms, 50ms}) {
      Scenario s = exponential_scenario(rate);
      s.client.retries = 3;
      s.client.backoff = backoff;
      s.seed = seed.value<std::int64_t>();
      const Tally t = markov(s);
      const Tally m = simulate_band(s, 10);
      SCOPED_TRACE(testing::Message() << rate << " " << format_duration(backoff));
      const double bound = 0.025 * m.spread.at("counts.attempts").mean;
      EXPECT_NEAR(*t.counts.attempts, m.spread.at("counts.attempts").mean, bound);
      EXPECT_NEAR(*t.counts.succeeded, m.spread.at("counts.succeeded").mean, bound);
      EXPECT_NEAR(*t.counts.rejected, m.spread.at("counts.rejected").mean, bound);
      EXPECT_NEAR(*t.settled.goodput_per_s, m.spread.at("settled.goodput_per_s").mean, 0.02 * rate);
      EXPECT_FALSE(t.approximations.empty());
    }
  }
}

TEST(Markov, SettlesToTheFixedPoint) {
  Scenario s = exponential_scenario(1300);
  s.client.retries = 2;
  s.client.duration = 600s;
  for (const Duration backoff : {0ms, 400ms}) {
    s.client.backoff = backoff;
    const Tally t = markov(s);
    const Tally settled = stationary(s);
    EXPECT_NEAR(*t.settled.attempts_per_s, *settled.settled.attempts_per_s, 0.1);
    EXPECT_NEAR(*t.settled.goodput_per_s, *settled.settled.goodput_per_s, 0.1);
    EXPECT_NEAR(*t.settled.abandoned_share, *settled.settled.abandoned_share, 1e-4);
  }
}

TEST(Markov, KeepsTheIdentities) {
  for (const std::int64_t retries : {0, 1, 5}) {
    for (const double rate : {300.0, 1000.0, 2500.0}) {
      for (const Duration round_trip : {Duration(0ms), Duration(200us), Duration(150ms)}) {
        Scenario s = exponential_scenario(rate);
        s.client.retries = retries;
        s.client.duration = 1s;
        s.network.round_trip = round_trip;
        EXPECT_EQ(broken_identities(markov(s).counts), std::vector<std::string>{})
            << retries << " " << rate;
      }
    }
  }
}

TEST(Markov, RefusesFixedWorkAndRunsThatWouldTakeMinutes) {
  Scenario s = exponential_scenario(1000);
  s.service.work_shape = WorkShape::fixed;
  EXPECT_THROW(markov(s), InvalidInput);
  EXPECT_EQ(markov(s, true).approximations.size(), 1U);
  Scenario large = exponential_scenario(1e6);
  large.service.workers = 20'000;
  large.service.queue = 100'000;
  large.service.max_connections = 200'000;
  EXPECT_THROW(markov(large), InvalidInput);
}

TEST(AbsorbedChain, HasTheClosedFormOfABirthAndDeathChain) {
  // Up with rate b, down with rate d, absorbed above the top: from 0 the mean time is
  // sum_{i<=j} d^{j-i}/b^{j-i+1}, with b << d as large as one likes.
  const double b = 1;
  const double d = 1000;
  constexpr std::size_t size = 80;
  AbsorbedChain chain(size, 1, 1);
  for (std::size_t i = 0; i < size; ++i) {
    if (i + 1 < size) {
      chain.add(i, i + 1, b);
    } else {
      chain.add_absorption(i, b);
    }
    if (i > 0) chain.add(i, i - 1, d);
  }
  double expected = 0;
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = 0; i <= j; ++i)
      expected += std::pow(d / b, static_cast<double>(j - i)) / b;
  }
  ASSERT_GT(expected, 1e235);  // no solver that subtracts has a digit left here
  EXPECT_NEAR(std::move(chain).mean_times()[0], expected, 1e-11 * expected);
}

TEST(AbsorbedChain, SaysNeverWhereThereIsNoWay) {
  AbsorbedChain chain(2, 1, 1);
  chain.add(0, 1, 1);
  chain.add(1, 0, 1);
  EXPECT_EQ(std::move(chain).mean_times()[0], std::numeric_limits<double>::infinity());
}

TEST(AbsorbedChain, RefusesWhatWouldTakeMinutes) {
  EXPECT_THROW(AbsorbedChain(1'000'000, 1000, 1000), std::domain_error);
}

// The chain of metastable.hpp as a sparse system, by Eigen's LU.
double time_to_orbit_by_sparse_lu(const OrbitChain& c, OrbitState start, std::int64_t orbit) {
  const auto columns = static_cast<int>(orbit);
  const int size = static_cast<int>(c.room + 1) * columns;
  const auto index = [&](std::int64_t n, std::int64_t m) {
    return static_cast<int>(n) * columns + static_cast<int>(m);
  };
  std::vector<Eigen::Triplet<double>> entries;
  for (std::int64_t n = 0; n <= c.room; ++n) {
    for (std::int64_t m = 0; m < orbit; ++m) {
      const auto step = [&](std::int64_t to_n, std::int64_t to_m, double rate) {
        if (rate == 0) return;
        entries.emplace_back(index(n, m), index(n, m), -rate);
        if (to_m < orbit) entries.emplace_back(index(n, m), index(to_n, to_m), rate);
      };
      step(n - 1, m, n > 0 ? static_cast<double>(std::min(n, c.servers)) * c.services_per_s : 0);
      const double back = static_cast<double>(m) * c.returns_per_s;
      const bool full = n == c.room;
      const bool fails = full || n >= c.late_from;
      const std::int64_t next = full ? n : n + 1;
      const double q = fails ? c.again : 0;
      step(next, m + 1, c.arrivals_per_s * q);
      if (!full) step(next, m, c.arrivals_per_s * (1 - q));
      if (m > 0) {
        if (!full) step(next, m, back * q);
        step(next, m - 1, back * (1 - q));
      }
    }
  }
  Eigen::SparseMatrix<double> generator(size, size);
  generator.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(generator);
  const Eigen::VectorXd times = lu.solve(-Eigen::VectorXd::Ones(size));
  return times(index(start.in_system, start.orbit));
}

TEST(MeanTimeToOrbit, IsTheSolutionOfTheSparseSystem) {
  const OrbitChain chain{45, 5, 10, 30, 20, 0.75, 10};
  for (const std::int64_t orbit : {1, 5, 12, 40}) {
    const double expected = time_to_orbit_by_sparse_lu(chain, {9, 0}, orbit);
    // The sparse solver loses the digits of h x rate, some nine of them in the last case.
    EXPECT_NEAR(mean_time_to_orbit_s(chain, {9, 0}, orbit), expected, 1e-6 * expected) << orbit;
  }
}

TEST(MeanTimeToOrbit, FallsWithTheLoad) {
  double before = 1e300;
  for (const double rate : {20.0, 30.0, 40.0, 45.0, 50.0}) {
    const OrbitChain chain{rate, 5, 10, 30, 20, 0.75, 10};
    const double now = mean_time_to_orbit_s(chain, {4, 0}, 8);
    EXPECT_LT(now, before);
    before = now;
  }
  EXPECT_EQ(mean_time_to_orbit_s({50, 5, 10, 30, 20, 0.75, 10}, {4, 9}, 8), 0);
}

TEST(MeanTimeToRecover, GrowsWithTheLoad) {
  double before = 0;
  for (const double rate : {5.0, 10.0, 15.0, 20.0}) {
    const OrbitChain chain{rate, 5, 10, 30, 20, 0.75, 10};
    const double now = mean_time_to_recover_s(chain, {30, 5}, 60);
    EXPECT_GT(now, before);
    before = now;
  }
}

TEST(MetastableTimes, AreNoneWithoutRetriesOrForScenariosTooLarge) {
  Scenario s = exponential_scenario(900);
  EXPECT_FALSE(metastable_times(s));
  s.client.retries = 2;
  s.client.rate = 1e6;
  s.service.workers = 20'000;
  s.service.queue = 100'000;
  EXPECT_FALSE(metastable_times(s));
}

TEST(MetastableTimes, ReadTheScenarioAsTheChainDoes) {
  Scenario s = exponential_scenario(900);
  s.client.retries = 3;
  const OrbitChain chain = orbit_chain(s);
  EXPECT_EQ(chain.late_from, 100);  // 99.8 ms of sojourn: the 101st in the system is late
  EXPECT_EQ(chain.room, 120);
  EXPECT_DOUBLE_EQ(chain.again, 0.75);
  EXPECT_DOUBLE_EQ(chain.returns_per_s, 10);
}

TEST(MetastableTimes, HonourWhichOutcomesAreRetried) {
  Scenario s = exponential_scenario(700);
  s.client.retries = 3;
  const auto all = metastable_times(s);
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->approximations.empty());
  // Without the refused, what comes back is less, and so is the orbit: that of the fixed point.
  s.client.retry_on = OutcomeSet::of(AttemptOutcome::timed_out);
  const auto late = metastable_times(s);
  ASSERT_TRUE(late);
  EXPECT_LT(late->collapsed_orbit, 0.5 * all->collapsed_orbit);
  EXPECT_LT(late->recover_s, all->recover_s);
  const double collapsed = stationary(s).fixed_points.back().attempts_per_s;
  const double returning = late->collapsed_orbit * orbit_chain(s).returns_per_s;
  EXPECT_NEAR(700 + returning, collapsed, 0.02 * collapsed);
  // What is retried does not keep a worker busy, or is not retried at all: no collapsed state.
  for (const auto only : {AttemptOutcome::rejected, AttemptOutcome::connect_error}) {
    s.client.retry_on = OutcomeSet::of(only);
    EXPECT_FALSE(metastable_times(s));
    EXPECT_EQ(stationary(s).fixed_points.size(), 1U);
  }
}

TEST(MetastableTimes, AreNoneWhereAttemptsCannotKeepTheServiceLate) {
  Scenario s = exponential_scenario(300);
  s.client.retries = 2;  // 900/s at most, of 1,000
  EXPECT_FALSE(metastable_times(s));
  s.client.rate = 700;
  EXPECT_TRUE(metastable_times(s));
  s.service.queue = 60;  // nobody is late by the chain's reckoning
  EXPECT_FALSE(metastable_times(s));
}

TEST(MetastableTimes, SayWhatTheyTakeInPlaceOfTheScenariosOwn) {
  Scenario s;
  s.client.rate = 700;
  s.client.retries = 3;
  const auto times = metastable_times(s);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->approximations, honour(Engine::markov, s, true));
  EXPECT_EQ(times->approximations.size(), 2U);  // arrivals and work
}

TEST(OrbitChain, NamesWhatIsWrongWithIt) {
  EXPECT_THROW(mean_time_to_orbit_s({0, 5, 10, 30, 20, 0.75, 10}, {0, 0}, 5), std::domain_error);
  EXPECT_THROW(mean_time_to_orbit_s({5, 5, 10, 9, 20, 0.75, 10}, {0, 0}, 5), std::domain_error);
  EXPECT_THROW(mean_time_to_orbit_s({5, 5, 10, 30, 20, 1, 10}, {0, 0}, 5), std::domain_error);
  EXPECT_THROW(mean_time_to_recover_s({5, 5, 10, 30, 20, 0.5, 10}, {31, 0}, 5), std::domain_error);
}

}  // namespace
}  // namespace retrystorm
