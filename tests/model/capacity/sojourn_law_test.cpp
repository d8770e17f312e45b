// The laws of the sojourn against brute force, against each other, and at times from a microsecond
// to an hour.
#include "model/capacity/sojourn_law.hpp"

#include "model/capacity/md1n.hpp"
#include "model/capacity/md1n_sojourn.hpp"
#include "model/capacity/mdc.hpp"
#include "model/capacity/mmcn.hpp"
#include "model/capacity/sojourn.hpp"
#include "tests/model/sojourn_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

namespace retrystorm::capacity {
namespace {

std::vector<double> admitted(double lambda, double mu, std::int64_t servers, std::int64_t room) {
  std::vector<double> p = mmcn_probabilities(lambda, mu, servers, room);
  p.pop_back();
  return p;
}

TEST(SojournLaw, IsTheTableOfBruteForce) {
  for (const std::int64_t servers : {1, 3, 20}) {
    for (const double load : {0.5, 1.0, 1.6}) {
      const double mu = 50;
      const auto found =
          admitted(load * mu * static_cast<double>(servers), mu, servers, servers + 9);
      const SojournLaw law(mu, servers, found);
      for (const double t : {0.001, 0.02, 0.1, 0.6}) {
        const SojournTable table(mu, static_cast<std::size_t>(servers), found, t, 1'000);
        SCOPED_TRACE(testing::Message() << servers << " " << load << " " << t);
        EXPECT_NEAR(law.within(t), table.total(), 1e-5 * table.total());
        EXPECT_NEAR(law.sum_within(t), table.sum(), 1e-4 * table.sum());
      }
    }
  }
}

TEST(SojournLaw, HasTheMeanThatLittleGives) {
  for (const double lambda : {300.0, 900.0, 1000.0, 2000.0}) {
    for (const std::int64_t room : {20, 21, 120, 3000}) {
      const MMcN m = mmcn(lambda, 50, 20, room);
      const SojournLaw law(50, 20, admitted(lambda, 50, 20, room));
      const double expected = m.mean_sojourn_accepted_s * (1 - m.p_block);
      EXPECT_NEAR(law.sum_within(3600), expected, 1e-9 * expected) << lambda << " " << room;
      EXPECT_NEAR(law.within(3600), 1 - m.p_block, 1e-12);
    }
  }
}

TEST(SojournLaw, KeepsTheDigitsOfWhatHardlyEverHappens) {
  // A queue of 1,000 always full, and 50 ms: some 1,000 ends where 50 are expected.
  std::vector<double> found(1020, 0.0);
  found.back() = 1;
  const SojournLaw law(50, 20, found);
  const SojournTable table(50, 20, found, 0.4);
  ASSERT_LT(table.total(), 1e-100);
  EXPECT_NEAR(law.within(0.4), table.total(), 1e-5 * table.total());
}

TEST(LateProbabilities, CostNoMoreForAnHourThanForAMinute) {
  // By what the list of k = 1 ... is made of, whatever departures the time holds (3.6e9 here).
  const auto late = late_probabilities(1000, 1000, 1100, 3600);
  EXPECT_EQ(late.size(), 1100U);
  for (const double l : late) EXPECT_LT(l, 1e-300);
  // Where the other way begins, both agree with the closed form of one n.
  for (const std::int64_t servers : {1, 2, 20, 1000}) {
    const std::int64_t most = 60;
    for (const double departures : {1200.0, 1239.0, 1241.0, 1300.0, 2500.0}) {
      const double t = departures / static_cast<double>(servers) / 50;
      const auto list = late_probabilities(50, servers, servers + most, t);
      for (const std::int64_t k : {1, 30, 60}) {
        const std::int64_t found = servers + k - 1;
        const double one = late_probability(50, servers, found, t);
        EXPECT_NEAR(list[static_cast<std::size_t>(found)], one, 1e-10 * one + 1e-300)
            << servers << " " << departures << " " << k;
      }
    }
  }
}

TEST(MD1NSojourn, IsMD1WhereTheQueueIsLong) {
  for (const double lambda : {10.0, 30.0, 40.0}) {
    const MD1NSojourn law(lambda, 0.02, md1n(lambda, 0.02, 200).p);
    const MDc queue(lambda, 0.02, 1);
    for (const double wait : {0.0, 0.001, 0.0199, 0.02, 0.033, 0.1, 0.151, 0.4}) {
      EXPECT_NEAR(law.within(0.02 + wait), 1 - queue.wait_tail(wait), 1e-10)
          << lambda << " " << wait;
      const double expected = queue.wait_sum_within(wait) + 0.02 * (1 - queue.wait_tail(wait));
      EXPECT_NEAR(law.sum_within(0.02 + wait), expected, 1e-9) << lambda << " " << wait;
    }
    EXPECT_EQ(law.within(0.0199), 0);
  }
}

TEST(MD1NSojourn, HasTheMeanThatLittleGives) {
  for (const double lambda : {20.0, 50.0, 55.0, 200.0}) {
    for (const std::int64_t room : {2, 5, 60}) {
      const MD1N m = md1n(lambda, 0.02, room);
      const MD1NSojourn law(lambda, 0.02, m.p);
      const double expected = (m.mean_wait_accepted_s + 0.02) * (1 - m.p_block);
      EXPECT_NEAR(law.within(3600), 1 - m.p_block, 1e-12) << lambda << " " << room;
      EXPECT_NEAR(law.sum_within(3600), expected, 1e-9 * expected) << lambda << " " << room;
    }
  }
}

TEST(MD1NSojourn, SumsWhatItsLawSays) {
  // E[S; S <= t] = t F(t) - the integral of F, which is smooth between multiples of the work.
  const double lambda = 60;
  const MD1NSojourn law(lambda, 0.02, md1n(lambda, 0.02, 6).p);
  for (const double t : {0.031, 0.05, 0.119}) {
    constexpr int steps = 5'000;
    double area = 0;
    for (int i = 0; i < steps; ++i) area += law.within((i + 0.5) * t / steps) * t / steps;
    EXPECT_NEAR(law.sum_within(t), t * law.within(t) - area, 1e-5) << t;
  }
}

TEST(MDc, SumsItsWaitsUpToAnyTime) {
  for (const double lambda : {500.0, 900.0, 990.0}) {
    const MDc queue(lambda, 0.02, 20);
    EXPECT_NEAR(queue.wait_sum_within(3600), queue.mean_wait_s(), 1e-7 * queue.mean_wait_s());
    for (const double t : {0.003, 0.02, 0.045}) {
      constexpr int steps = 4'000;
      double area = 0;
      for (int i = 0; i < steps; ++i) area += queue.wait_tail((i + 0.5) * t / steps) * t / steps;
      EXPECT_NEAR(queue.wait_sum_within(t), area - t * queue.wait_tail(t), 1e-4 * area) << lambda;
    }
  }
}

TEST(SojournLaws, RefuseWhatIsNoTime) {
  EXPECT_THROW(SojournLaw(50, 20, {1}).within(-1), std::domain_error);
  EXPECT_THROW(SojournLaw(0, 20, {1}), std::domain_error);
  EXPECT_THROW(MD1NSojourn(1, 1, {1}), std::domain_error);
}

}  // namespace
}  // namespace retrystorm::capacity
