// Fixed work: M/D/c by its routes, and the approximation for finite room in the bounds its header
// states, against the exact sample path.
#include "model/capacity/mdc.hpp"

#include "core/random.hpp"
#include "model/capacity/md1n.hpp"
#include "model/capacity/mdcn.hpp"
#include "tests/seed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/random/exponential_distribution.hpp>
#include <gtest/gtest.h>

namespace retrystorm::capacity {
namespace {

TEST(MDc, HasOneBacklogByBothRoutes) {
  struct Case {
    double erlangs;
    std::int64_t servers;
  };
  for (const auto& [a, c] :
       {Case{0.5, 1}, Case{0.9, 1}, Case{8.5, 10}, Case{18, 20}, Case{19.5, 20}, Case{450, 500}}) {
    const auto series = mdc_backlog_by_series(a, c);
    const auto transform = mdc_backlog_by_transform(a, c);
    for (std::size_t n = 0; n < std::min(series.size(), transform.size()); ++n) {
      ASSERT_NEAR(series[n], transform[n], 1e-13) << a << " " << c << " " << n;
    }
  }
}

TEST(MDc, HasTheMeanWaitOfSpitzersSum) {
  for (const std::int64_t c : {1, 3, 20, 100}) {
    for (const double rho : {0.1, 0.5, 0.9}) {
      const double lambda = rho * static_cast<double>(c);
      const double spitzer = mdc_mean_wait_by_spitzer_s(lambda, 1, c);
      EXPECT_NEAR(MDc(lambda, 1, c).mean_wait_s(), spitzer, 1e-9 * spitzer + 1e-16)
          << c << " " << rho;
    }
  }
}

TEST(MDc, HasATailWhoseAreaIsItsMeanWait) {
  const MDc q(950, 0.02, 20);
  // The tail has kinks at whole work times: summed cell by cell, 40 to a work time.
  double area = 0;
  const double step = 0.02 / 40;
  for (int i = 0; i < 40 * 40; ++i) {
    area += step * (q.wait_tail(step * i) + q.wait_tail(step * (i + 1))) / 2;
  }
  EXPECT_NEAR(area, q.mean_wait_s(), 1e-3 * q.mean_wait_s());
  EXPECT_NEAR(q.wait_tail(0), q.p_wait(), 1e-13);
  EXPECT_NEAR(q.wait_tail(q.wait_quantile_s(0.999)), 0.001, 1e-12);
}

TEST(MDc, StaysExactCloseToSaturation) {
  // M/D/1: EW = rho D / (2 (1 - rho)), Pollaczek and Khinchine.
  for (const double rho : {0.99, 0.9999, 0.999999}) {
    const double expected = rho / (2 * (1 - rho));
    EXPECT_NEAR(MDc(rho, 1, 1).mean_wait_s(), expected, 1e-7 * expected) << rho;
  }
}

TEST(MDcN, IsTheInfiniteQueueWhenRoomIsAmple) {
  const MDc infinite(900, 0.02, 20);
  const MDcN finite = mdcn(900, 0.02, 20, 220);
  double tail = 0;
  for (std::size_t n = finite.p.size(); n-- > 15;) {
    tail += finite.p[n];
    EXPECT_NEAR(tail, infinite.in_system_tail(static_cast<std::int64_t>(n)), 1e-12) << n;
  }
  EXPECT_NEAR(finite.mean_wait_accepted_s, infinite.mean_wait_s(), 1e-12);
}

TEST(MDcN, IsExactWithOneServerAndWithoutAQueue) {
  EXPECT_TRUE(mdcn(0.9, 1, 1, 10).exact);
  EXPECT_EQ(mdcn(0.9, 1, 1, 10).p_block, md1n(0.9, 1, 10).p_block);
  EXPECT_TRUE(mdcn(18, 1, 20, 20).exact);
  EXPECT_FALSE(mdcn(18, 1, 20, 21).exact);
}

TEST(MDcN, IsALawThatAnswersLoadAndQueueAsItMust) {
  double before = 0;
  for (double lambda = 200; lambda < 4000; lambda += 200) {
    const MDcN m = mdcn(lambda, 0.02, 20, 60);
    EXPECT_NEAR(std::accumulate(m.p.begin(), m.p.end(), 0.0), 1, 1e-12);
    EXPECT_GT(m.p_block, before);
    EXPECT_GE(m.p_block * (1 + 1e-12), mdcn(lambda, 0.02, 20, 70).p_block);
    before = m.p_block;
  }
  EXPECT_NEAR(before, 1 - 1000.0 / 3800, 1e-9);  // the ceiling
}

struct SamplePath {
  double refused = 0;  // share
  double mean_wait = 0;
  double in_time = 0;  // of the accepted
};

// The exact sample path, work 1: job n ends at max(arrival, end of job n - c) + 1 and is refused if
// job n - N has not ended. No event list, nothing shared with the simulation.
SamplePath sample_path(double lambda, std::size_t c, std::size_t room, double patience,
                       int arrivals, std::uint64_t seed) {
  Random random(seed);
  boost::random::exponential_distribution<double> gap(lambda);
  std::vector<double> ends(room, -1e9);
  std::size_t job = 0;
  double now = 0;
  double refused = 0;
  double wait = 0;
  double in_time = 0;
  const int warm_up = arrivals / 10;
  for (int i = -warm_up; i < arrivals; ++i) {
    now += gap(random);
    if (ends[job % room] > now) {
      if (i >= 0) ++refused;
      continue;
    }
    const double start = std::max(now, ends[(job + room - c) % room]);
    ends[job % room] = start + 1;
    ++job;
    if (i < 0) continue;
    wait += start - now;
    in_time += start + 1 - now <= patience ? 1 : 0;
  }
  const double accepted = arrivals - refused;
  return {refused / arrivals, wait / accepted, in_time / accepted};
}

TEST(MDcN, IsAsNearTheExactSamplePathAsItSays) {
  struct Case {
    double lambda;
    std::size_t c, room;
    double patience;
  };
  for (const auto& [lambda, c, room, patience] :
       {Case{1.8, 2, 6, 2.0}, Case{2.0, 2, 12, 5.0}, Case{9.5, 10, 20, 1.6}, Case{10, 10, 30, 3.0},
        Case{20, 20, 60, 2.9}, Case{21, 20, 100, 4.99}}) {
    const Seed seed(7);
    const SamplePath truth = sample_path(lambda, c, room, patience, 600'000, seed.value());
    const auto servers = static_cast<std::int64_t>(c);
    const auto n = static_cast<std::int64_t>(room);
    const MDcN m = mdcn(lambda, 1, servers, n);
    // The header's bounds, and three standard errors of this sample (from 20 like it).
    EXPECT_NEAR(m.p_block, truth.refused, 0.02 * truth.refused + 1e-3) << lambda << " " << c;
    EXPECT_NEAR(m.mean_wait_accepted_s, truth.mean_wait, 0.025 * truth.mean_wait)
        << lambda << " " << c;
    const auto late = fixed_work_late_probabilities(1, servers, n, patience);
    double in_time = 0;
    for (std::size_t k = 0; k < late.size(); ++k) in_time += m.p[k] * (1 - late[k]);
    EXPECT_NEAR(in_time / (1 - m.p_block), truth.in_time, 0.015) << lambda << " " << c;
  }
}

TEST(FixedWorkLateProbabilities, TurnWithTheNumberFoundWhenTheLimitIsWholeWorkTimes) {
  // 100 ms of 20 ms work, 20 workers: late from 100 on, and not before.
  const auto late = fixed_work_late_probabilities(0.02, 20, 120, 0.1);
  for (std::size_t n = 0; n < 120; ++n) EXPECT_EQ(late[n], n < 100 ? 0 : 1) << n;
  // Less than the work itself: always late.
  EXPECT_EQ(fixed_work_late_probabilities(0.02, 20, 120, 0.019)[0], 1);
}

}  // namespace
}  // namespace retrystorm::capacity
