// The capacity arithmetic by its own lights: second routes to the same numbers, identities, limits.
#include "model/capacity/burn_rate.hpp"
#include "model/capacity/ddcn.hpp"
#include "model/capacity/dmcn.hpp"
#include "model/capacity/erlang_a.hpp"
#include "model/capacity/erlang_b.hpp"
#include "model/capacity/erlang_c.hpp"
#include "model/capacity/md1n.hpp"
#include "model/capacity/mmc.hpp"
#include "model/capacity/mmcn.hpp"
#include "model/capacity/processor_sharing.hpp"
#include "model/capacity/retrial.hpp"
#include "model/capacity/sojourn.hpp"
#include "model/capacity/target_tracking.hpp"
#include "model/capacity/token_bucket.hpp"
#include "model/capacity/ttl_cache.hpp"
#include "tests/core/fifo_recursion.hpp"

#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm::capacity {
namespace {

double sum_of(const std::vector<double>& p) {
  return std::accumulate(p.begin(), p.end(), 0.0);
}

TEST(LateProbabilities, AreTheClosedFormWithIncompleteGammas) {
  for (const std::int64_t c : {1, 2, 20}) {
    for (const double t : {0.0, 0.01, 0.1, 0.3}) {
      const auto late = late_probabilities(50, c, c + 100, t);
      for (std::size_t n = 0; n < late.size(); ++n) {
        EXPECT_NEAR(late[n], late_probability(50, c, static_cast<std::int64_t>(n), t), 1e-12)
            << c << " " << t << " " << n;
      }
    }
  }
}

TEST(LateProbabilities, KeepTheirDigitsWhereTheClosedFormHasNone) {
  // Room for 100,000: G_k underflows there. More found, later; and nothing leaves [0, 1].
  const auto late = late_probabilities(50, 2, 100'000, 50);
  for (std::size_t n = 1; n < late.size(); ++n) {
    ASSERT_GE(late[n], late[n - 1]);
    ASSERT_LE(late[n], 1);
  }
  // About 5,000 departures fit; the median is where about half are late.
  EXPECT_LT(late[4500], 1e-9);
  EXPECT_GT(late[5500], 1 - 1e-9);
}

TEST(MMc, HasTheSojournTailThatItsStatesGive) {
  const double lambda = 900;
  const auto late = late_probabilities(50, 20, 2000, 0.1);
  double tail = 0;
  for (std::int64_t n = 0; n < 2000; ++n) {
    tail += mmc_probability(lambda, 50, 20, n) * late[static_cast<std::size_t>(n)];
  }
  EXPECT_NEAR(sojourn_tail(lambda, 50, 20, 0.1), tail, 1e-12);
}

TEST(MMc, HasASojournQuantileBetweenItsTwoApproximations) {
  for (const double lambda : {850.0, 900.0, 950.0, 990.0}) {
    const double exact = sojourn_quantile_s(lambda, 50, 20, 0.99);
    const auto usual = approximate_sojourn_quantile_s(lambda, 50, 20, 0.99);
    EXPECT_GT(exact, usual.wait_plus_mean_work_s);
    EXPECT_LT(exact, usual.wait_plus_work_quantile_s);
  }
}

TEST(MMc, PassesTheCaseWhereWaitAndWorkHaveOneRate) {
  // c mu - lambda = mu: the closed form's denominator is 0; the neighbours agree.
  const double at = sojourn_tail(50 * 19, 50, 20, 0.1);
  EXPECT_NEAR(at, sojourn_tail(50 * 19 + 1e-7, 50, 20, 0.1), 1e-9);
}

TEST(MMcN, IsMMcWhenThereIsRoomForAll) {
  const MMcN m = mmcn(900, 50, 20, 3000);
  for (const std::int64_t n : {0, 10, 20, 50}) {
    EXPECT_NEAR(m.p[static_cast<std::size_t>(n)], mmc_probability(900, 50, 20, n), 1e-14);
  }
  EXPECT_NEAR(m.mean_wait_accepted_s, mmc(900, 50, 20).mean_wait_s, 1e-13);
}

TEST(MMcN, IsErlangBWithoutAQueue) {
  EXPECT_NEAR(mmcn(900, 50, 20, 20).p_block, erlang_b(18, 20), 1e-15);
}

TEST(MMcN, TakesAHundredThousandPlacesAtAnyLoad) {
  for (const double lambda : {1.0, 999.0, 1000.0, 1001.0, 100'000.0}) {
    const MMcN m = mmcn(lambda, 50, 20, 100'000);
    EXPECT_NEAR(sum_of(m.p), 1, 1e-12);
    EXPECT_NEAR(m.throughput_per_s, lambda * (1 - m.p_block), 1e-9 * lambda);
  }
  EXPECT_NEAR(mmcn(2000, 50, 20, 100'000).p_block, 0.5, 1e-12);
}

TEST(MMcN, RefusesMoreWithMoreLoadAndLessWithMoreQueue) {
  double before = 0;
  for (double lambda = 100; lambda < 3000; lambda += 100) {
    const double now = mmcn(lambda, 50, 20, 60).p_block;
    EXPECT_GT(now, before);
    EXPECT_GE(now * (1 + 1e-14), mmcn(lambda, 50, 20, 61).p_block);
    before = now;
  }
}

TEST(MD1N, BlocksLikeErlangBWhenNobodyMayWait) {
  for (const double a : {0.3, 1.0, 2.5}) {
    EXPECT_NEAR(md1n(a, 1, 1).p_block, erlang_b(a, 1), 1e-14);
  }
}

TEST(MD1N, ServesWhatItDoesNotBlock) {
  for (const double a : {0.2, 0.9, 1.0, 1.7, 30.0}) {
    const MD1N m = md1n(a, 1, 12);
    EXPECT_NEAR(1 - m.p[0], a * (1 - m.p_block), 1e-12) << a;
    EXPECT_NEAR(sum_of(m.p), 1, 1e-12) << a;
  }
}

TEST(DMcN, WithOneServerIsGeometricWithTheRootOfItsEquation) {
  // Found by arrivals, D/M/1: (1 - s) s^n with s = e^{-mu (1 - s)/lambda}.
  const double mu_over_lambda = 1.25;
  double s = 0.5;
  for (int i = 0; i < 500; ++i) s = std::exp(-mu_over_lambda * (1 - s));
  const DMcN m = dmcn(1, mu_over_lambda, 1, 400);
  for (std::size_t n = 0; n < 20; ++n) {
    EXPECT_NEAR(m.found[n], (1 - s) * std::pow(s, static_cast<double>(n)), 1e-12);
  }
}

TEST(DMcN, BlocksLessThanPoissonArrivalsDo) {
  for (const double lambda : {800.0, 1000.0, 1200.0}) {
    EXPECT_LT(dmcn(lambda, 50, 20, 60).p_block, mmcn(lambda, 50, 20, 60).p_block);
  }
  // Deep in overload nothing but the ceiling matters.
  EXPECT_NEAR(dmcn(4000, 50, 20, 60).p_block, 0.75, 1e-6);
}

TEST(DDcN, AdmitsAndServesLikeTheRecursion) {
  using namespace std::chrono_literals;
  for (const double rate : {700.0, 1000.0, 1001.0, 1050.0, 1200.0, 1337.0, 2500.0}) {
    for (const std::int64_t queue : {0, 7, 40, 100}) {
      std::vector<Instant> schedule;
      for (std::int64_t i = 0; i < 5000; ++i) {
        schedule.push_back(
            instant_at(static_cast<std::int64_t>(static_cast<double>(i) * 1e9 / rate)));
      }
      const FifoRun expected =
          fifo_recursion(schedule, 20, static_cast<std::size_t>(queue), 20ms, 60ms);
      const DDcN q{1 / rate, 0.02, 20, 20 + queue};
      EXPECT_EQ(q.admitted(5000), static_cast<double>(expected.admitted)) << rate << " " << queue;
      double in_time = 0;
      visit_rounds(q, 0, q.admitted(5000), false, [&](const EvenGroup& g) {
        if (g.sojourn_s <= 0.06 + 1.5e-9) in_time += g.count;
      });
      EXPECT_EQ(in_time, static_cast<double>(expected.in_time)) << rate << " " << queue;
    }
  }
}

TEST(ErlangA, WithPatienceLikeWorkIsAnInfiniteServer) {
  // theta = mu: all leave at rate mu, so the number in the system is Poisson.
  const ErlangA m(1000, 50, 20, 50);
  EXPECT_NEAR(m.p_wait(), boost::math::gamma_p(20.0, 20.0), 1e-12);
}

TEST(ErlangA, HasATailWhoseAreaIsItsMeanWait) {
  const ErlangA m(1100, 50, 20, 25);
  const double area = boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
      [&](double t) { return m.wait_tail(t); }, 0.0, 2.0, 10, 1e-10);
  EXPECT_NEAR(area, m.mean_wait_s(), 1e-9);
  EXPECT_NEAR(m.wait_tail(0), m.p_wait(), 1e-12);
  EXPECT_NEAR(m.wait_tail(m.wait_quantile_s(0.9)), 0.1, 1e-12);
}

TEST(RetrialQueue, WithOneServerHasItsClosedForm) {
  for (const double rho : {0.3, 0.7, 0.95}) {
    for (const double theta : {0.05, 1.0, 20.0}) {
      const Retrial r = retrial_queue(rho, 1, 1, theta);
      const double expected = rho * rho / (1 - rho) * (1 + 1 / theta);
      EXPECT_NEAR(r.mean_orbit, expected, 1e-9 * expected);
      EXPECT_NEAR(r.p_block, rho, 1e-9);
    }
  }
}

TEST(RetrialQueue, ThatIsPatientIsAWaitingQueue) {
  // Retrying all the time is waiting: the chance to find all busy tends to Erlang C.
  EXPECT_NEAR(retrial_queue(4, 1, 5, 1e5).p_block, erlang_c(4, 5), 1e-4);
}

TEST(TtlCache, HasVariantsInTheirOrder) {
  for (const double r : {0.1, 1.0, 5.0}) {
    EXPECT_LT(ttl_hit_ratio(r, 1.0), ttl_hit_ratio_refreshed_on_hit(r, 1.0));
    EXPECT_NEAR(ttl_origin_per_s(r, 2.0), 1 / (2 + 1 / r), 1e-15);
  }
  EXPECT_EQ(ttl_hit_ratio_periodic(10, 0.55), 5.0 / 6);
  EXPECT_EQ(ttl_hit_ratio_periodic(1, 0.5), 0);
}

TEST(TokenBucket, OfOneTokenLosesLikeOneServer) {
  EXPECT_NEAR(token_bucket_refused(100, 100, 1), 0.5, 1e-14);
}

TEST(BurnRate, AndItsErrorsAreInverse) {
  EXPECT_NEAR(burn_of_errors(errors_of_burn(14.4, 0.999), 0.999), 14.4, 1e-12);
  EXPECT_NEAR(budget_spent(1, 60 * budget_period_h), 1, 1e-15);
}

TEST(SharedQueryTime, IsHeldAtItsBound) {
  EXPECT_EQ(shared_query_time_s(0.005, 0.999, 0.25), 0.25);
  EXPECT_EQ(shared_query_time_s(0.005, 1.5, 0.25), 0.25);
}

TEST(UnservableShare, IsWhatExceedsTheServers) {
  EXPECT_EQ(unservable_share(40, 20), 0.5);
  EXPECT_EQ(unservable_share(20, 20), 0);
}

TEST(Formulas, NameFunctionArgumentAndValueInTheirErrors) {
  const auto message_of = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const std::domain_error& error) {
      return error.what();
    }
    return "no error";
  };
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  EXPECT_THAT(message_of([] { erlang_b(-1, 3); }),
              AllOf(HasSubstr("erlang_b"), HasSubstr("offered_erlangs"), HasSubstr("-1")));
  EXPECT_THAT(message_of([] { erlang_c(20, 20); }), AllOf(HasSubstr("erlang_c"), HasSubstr("20")));
  EXPECT_THAT(message_of([] { mmc(1001, 50, 20); }), HasSubstr("below the number of servers"));
  EXPECT_THAT(message_of([] { mmcn(1000, 50, 20, 19); }), HasSubstr("room"));
  EXPECT_THAT(message_of([] { md1n(1, 0, 3); }), HasSubstr("work_s"));
  EXPECT_THAT(message_of([] { dmcn(1, 1, 0, 3); }), HasSubstr("servers"));
  EXPECT_THAT(message_of([] { ErlangA(1, 1, 1, 0); }), HasSubstr("abandons_per_s"));
  EXPECT_THAT(message_of([] { retrial_queue(5, 1, 5, 1); }), HasSubstr("arrivals_per_s"));
  EXPECT_THAT(message_of([] { token_bucket_refused(1, 1, 0); }), HasSubstr("burst"));
  EXPECT_THAT(message_of([] { ttl_hit_ratio(1, -1); }), HasSubstr("ttl_s"));
  EXPECT_THAT(message_of([] { shared_query_time_s(1, 1); }), HasSubstr("utilisation"));
  EXPECT_THAT(message_of([] { burn_rate(0.1, 0); }), HasSubstr("window_h"));
  EXPECT_THAT(message_of([] { desired_instances(3, 1, 0); }), HasSubstr("target"));
  EXPECT_THAT(message_of([] { sojourn_quantile_s(900, 50, 20, 1); }), HasSubstr("q must"));
  EXPECT_THAT(message_of([] { DDcN{1, 1, 2, 1}.check(); }), HasSubstr("room"));
}

}  // namespace
}  // namespace retrystorm::capacity
