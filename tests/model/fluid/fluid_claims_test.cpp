// What the fluid engine claims of its own accuracy, held against the event simulation over random
// scenarios: exact where nothing is retried, and otherwise within what it says.
#include "model/fluid/fluid.hpp"
#include "model/simulate/simulate.hpp"
#include "tests/model/fluid/same_counts.hpp"
#include "tests/seed.hpp"

#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

TEST(FluidByRounds, GivesEveryCountWhateverTheRateTheTimeoutAndTheDrainLimit) {
  for (const std::uint64_t n : seeds<std::uint64_t>(1, 200)) {
    const Seed seed(n);
    std::mt19937_64 random(seed.value());
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    const auto one_of = [&](auto... values) {
      const std::array list{values...};
      return list[random() % list.size()];
    };
    Scenario s;
    s.service.workers = one_of(1, 2, 8, 20);
    s.service.work = one_of(1'000us, 3'700us, 20'000us);
    s.service.queue = one_of(0, 1, 5, 50);
    s.client.rate = std::round(10 * ceiling(s) * between(0.3, 3)) / 10;
    s.client.duration = std::chrono::milliseconds(static_cast<int>(between(50, 1000)));
    s.client.timeout = one_of(10ms, 100ms, 1'000ms, 30'000ms);
    s.drain_limit = one_of(0ms, 10ms, 100ms, 1'000ms, 10'000ms);
    s.network.round_trip = one_of(0us, 200us, 7'000us, 150'000us);
    if (one_of(0, 1) == 1) s.simulation.first_arrival = FirstArrival::gap;
    const Tally f = fluid(s);
    expect_same_counts(f, simulate(s));
    EXPECT_TRUE(f.approximations.empty());
  }
}

TEST(FluidByRounds, AnswersWhereRetriesAreNeverMade) {
  Scenario s;
  s.client.rate = 900;
  s.client.retries = 3;
  expect_same_counts(fluid(s), simulate(s));
  s.client.rate = 1200;
  s.client.retry_on = OutcomeSet::of(AttemptOutcome::connect_error);
  expect_same_counts(fluid(s), simulate(s));
  EXPECT_TRUE(fluid(s).approximations.empty());
}

TEST(Fluid, OffersWholeRequestsWithRetriesToo) {
  for (const double rate : {333.3, 1333.3, 1999.9}) {
    Scenario s;
    s.client.rate = rate;
    s.client.duration = 200ms;
    s.client.retries = 2;
    s.client.timeout = 30ms;
    s.drain_limit = 0ms;
    EXPECT_EQ(fluid(s).counts.offered, simulate(s).counts.offered) << rate;
    s.simulation.first_arrival = FirstArrival::gap;
    EXPECT_EQ(fluid(s).counts.offered, simulate(s).counts.offered) << rate << " gap";
  }
}

TEST(Fluid, SaysHowFarItsRetriesMayBeOffAndKeepsWithinIt) {
  for (const std::uint64_t n : seeds<std::uint64_t>(1, 12)) {
    const Seed seed(n);
    std::mt19937_64 random(seed.value());
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    Scenario s;
    s.service.workers = 1 + static_cast<std::int64_t>(between(2, 30));
    s.client.timeout = Duration(static_cast<std::int64_t>(between(40e6, 200e6)));
    s.service.queue =
        *useful_queue(s) + s.service.workers + static_cast<std::int64_t>(between(0, 50));
    s.client.rate = std::round(ceiling(s) * between(1.05, 2));
    s.client.retries = 1 + static_cast<std::int64_t>(between(0, 3));
    s.client.backoff = between(0, 1) < 0.5 ? 0ms : 50ms;
    s.client.duration = 3s;
    s.seed = seed.value<std::int64_t>();
    const Tally f = fluid(s);
    ASSERT_EQ(f.approximations.size(), 1U);
    EXPECT_NE(f.approximations[0].find("within 2 % of the attempts"), std::string::npos);
    const Tally m = simulate_band(s, 3, {nullptr, Noise{60us, 20us, 0us, 0us}});
    const double bound = 0.02 * *m.counts.attempts;
    EXPECT_NEAR(*f.counts.attempts, *m.counts.attempts, bound);
    EXPECT_NEAR(*f.counts.succeeded, *m.counts.succeeded, bound);
    EXPECT_NEAR(*f.counts.rejected, *m.counts.rejected, bound);
  }
  // Where nearly everything hangs on who finds the one place, it says so.
  Scenario s;
  s.client.rate = 1200;
  s.client.retries = 1;
  s.service.queue = 0;
  ASSERT_EQ(fluid(s).approximations.size(), 1U);
  EXPECT_NE(fluid(s).approximations[0].find("does not know who finds"), std::string::npos);
}

}  // namespace
}  // namespace retrystorm
