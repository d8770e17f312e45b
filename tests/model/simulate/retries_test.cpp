// Retries in the simulation, held against what must be the same, and against theory.
#include "core/policy/backoffs.hpp"
#include "core/policy/budgets.hpp"
#include "model/simulate/simulate.hpp"
#include "tests/seed.hpp"

#include <cmath>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

// Half as many again as it can serve; only refusals are retried.
Scenario overload(std::int64_t retries) {
  Scenario s;
  s.service.workers = 4;
  s.service.queue = 10;
  s.client.rate = 300;
  s.client.duration = 4s;
  s.client.retries = retries;
  s.client.retry_on = OutcomeSet::of(AttemptOutcome::rejected);
  return s;
}

TEST(RetryAfter, TakenExactlyIsABackoffOfThatLength) {
  Scenario told = overload(2);
  told.service.send_retry_after = 2s;
  told.client.retry_after = RetryAfter::exact;
  told.client.backoff = 17ms;
  Scenario own = overload(2);
  own.client.backoff = 2s;
  const Tally tally = simulate(told);
  EXPECT_EQ(to_json(tally), to_json(simulate(own)));
  EXPECT_GT(*tally.counts.attempts, *tally.counts.offered) << "nothing was retried";
}

TEST(RetryAfter, ThatNobodySendsIsNothingToHonour) {
  Scenario silent = overload(2);
  silent.service.send_retry_after.reset();
  silent.client.retry_after = RetryAfter::honour;
  EXPECT_EQ(to_json(simulate(silent)), to_json(simulate(overload(2))));
}

TEST(RetryStatuses, WithThatOfARefusalRetryWhatRetryOnDoes) {
  Scenario by_status = overload(2);
  by_status.client.retry_on = OutcomeSet::of(AttemptOutcome::io_error);
  by_status.client.retry_statuses = {"503"};
  EXPECT_EQ(to_json(simulate(by_status)), to_json(simulate(overload(2))));
}

TEST(Deadline, AsLongAsTheTimeoutChangesNothingWithoutRetries) {
  Scenario s = overload(0);
  s.client.deadline = s.client.timeout;
  EXPECT_EQ(to_json(simulate(s)), to_json(simulate(overload(0))));
}

TEST(Deadline, IsATimeoutForARequestThatIsNotRetried) {
  Scenario by_deadline = overload(0), by_timeout = overload(0);
  by_deadline.client.deadline = 50ms;
  by_timeout.client.timeout = 50ms;
  EXPECT_EQ(to_json(simulate(by_deadline)).at("counts"),
            to_json(simulate(by_timeout)).at("counts"));
}

// 20,000 requests against a service that is never busy, of whose arrivals a share p fails.
Scenario failing(double p, std::int64_t retries, std::int64_t seed) {
  Scenario s;
  s.seed = seed;
  s.service.fail_rate = p;
  s.client.rate = 500;
  s.client.duration = 40s;
  s.client.retries = retries;
  return s;
}

// M. Brooker, "Fixing retries with token buckets and circuit breakers" (2022): with N retries a
// request succeeds with probability 1 - p^(N+1), after (1 - p^(N+1)) / (1 - p) attempts on the
// mean.
TEST(Injection, AmplifiesAndIsOvercomeAsTheorySays) {
  const Seed seed(11);
  for (const double p : {0.05, 0.3, 0.5, 0.75}) {
    for (const std::int64_t retries : {0, 1, 3}) {
      SCOPED_TRACE(testing::Message() << "p = " << p << ", " << retries << " retries");
      const Counts counts = simulate(failing(p, retries, seed.value<std::int64_t>())).counts;
      const double n = *counts.offered;
      const double lost = std::pow(p, retries + 1);
      double mean = 0, square = 0;  // of attempts a request: k + 1 of them with probability p^k
      for (std::int64_t k = 0; k <= retries; ++k) {
        mean += std::pow(p, k);
        square += (2.0 * static_cast<double>(k) + 1) * std::pow(p, k);
      }
      EXPECT_NEAR(mean, (1 - lost) / (1 - p), 1e-12) << "the sum of the series";
      EXPECT_NEAR(*counts.succeeded / n, 1 - lost, 5 * std::sqrt(lost * (1 - lost) / n) + 3 / n);
      EXPECT_NEAR(*counts.attempts / n, mean, 1e-9 + 5 * std::sqrt((square - mean * mean) / n));
      EXPECT_EQ(*counts.refused, *counts.rejected);
      EXPECT_EQ(*counts.completed, *counts.succeeded) << "what failed took no worker";
      EXPECT_THAT(broken_identities(counts), testing::IsEmpty());
    }
  }
}

// M. Brooker, "What is Backoff For?" (2022): in an open loop backoff moves work, and removes none.
TEST(Injection, IsNotOvercomeByBackoffWithoutLosingWork) {
  const Seed seed(12);
  const Scenario at_once = failing(0.5, 3, seed.value<std::int64_t>());
  Scenario later = at_once;
  later.client.backoff = 100ms;
  later.client.backoff_shape = ExponentialBackoff{};
  later.client.jitter = FullJitter{};
  const Counts first = simulate(at_once).counts, second = simulate(later).counts;
  EXPECT_EQ(first.attempts, second.attempts) << "the very same attempts fail";
  EXPECT_EQ(first.succeeded, second.succeeded);
}

TEST(Injection, WithAnotherStatusIsAFailureThatOnlyThisStatusRetries) {
  Scenario s = failing(0.5, 3, 1);
  s.service.fail_status = 500;
  const Counts once = simulate(s).counts;
  EXPECT_EQ(once.attempts, once.offered);
  EXPECT_EQ(once.failed_status, once.refused);
  EXPECT_GT(*once.refused, 0);
  s.client.retry_statuses = {"500"};
  EXPECT_EQ(simulate(s).counts.attempts, simulate(failing(0.5, 3, 1)).counts.attempts);
}

// The same source: 10,000 requests of which half fail, by 10, 100 and 1000 callers.
TEST(Callers, ThatAreManyAndTinyMakeABucketPlainRetriesAndARetryBreakerNone) {
  struct Row {
    std::int64_t callers;
    double bucket_load, bucket_ok, breaker_ok;
  };
  const Row rows[] = {
      {10, 1.104, 0.551, 1.000}, {100, 1.142, 0.574, 0.988}, {1000, 1.462, 0.726, 0.955}};
  const Seed seed(14);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.callers);
    Scenario s = failing(0.5, 1000, seed.value<std::int64_t>());
    s.client.duration = 20s;
    s.client.callers = row.callers;
    s.client.budget = Budgets(TokenBucket{5, 0.1, DepositOn::request, 1});
    const Counts bucket = simulate(s).counts;
    EXPECT_NEAR(*bucket.attempts / *bucket.offered, row.bucket_load, 0.05);
    EXPECT_NEAR(*bucket.succeeded / *bucket.offered, row.bucket_ok, 0.03);
    s.service.fail_rate = 0.05;
    s.client.retries = 3;
    s.client.budget = Budgets(RetryBreaker{0.1});
    const Counts breaker = simulate(s).counts;
    EXPECT_NEAR(*breaker.succeeded / *breaker.offered, row.breaker_ok, 0.015);
  }
}

// Twitter's Finagle: retries are at most ratio x requests, and a floor.
TEST(RatioBudget, BoundsTheAmplificationOfAServiceThatFails) {
  Scenario s = failing(1, 100, 1);
  s.client.budget = Budgets(RetryRatio{0.2, 0, 1s});
  const Counts counts = simulate(s).counts;
  EXPECT_LE(*counts.attempts, 1.2 * *counts.offered + 1e-6);
  EXPECT_GE(*counts.attempts, 1.19 * *counts.offered) << "as much as it allows is used";
}

TEST(RetryQuota, AllowsAHundredRetriesInATotalOutageAndThenNone) {
  Scenario s = failing(1, 2, 1);
  s.client.budget = Budgets(RetryQuota{});
  const Counts counts = simulate(s).counts;
  EXPECT_EQ(*counts.attempts - *counts.offered, 100) << "500 to pay from, 5 a retry (AWS)";
}

TEST(AdaptiveThrottle, LetsAboutKTimesAsManyThroughAsAreAccepted) {
  // Ten times as many as can be served, and a queue that is served in time.
  Scenario s = overload(0);
  s.client.rate = 2000;
  s.client.duration = 40s;
  const Counts without = simulate(s).counts;
  EXPECT_GT(*without.attempts, 9 * *without.succeeded);
  s.client.budget = Budgets(AdaptiveThrottle{2, 10s});
  const Counts counts = simulate(s).counts;
  EXPECT_NEAR(*counts.attempts / *counts.succeeded, 2, 0.2);
  EXPECT_GT(*counts.succeeded, 0.9 * *without.succeeded)
      << "what the service can do, it still does";
}

TEST(CircuitBreaker, LeavesAServiceThatFailsAlmostAlone) {
  Scenario s = failing(1, 3, 1);
  s.client.budget = Budgets(CircuitBreaker{0.5, 20, 10s, 5s, 1});
  const Counts counts = simulate(s).counts;
  // Twenty attempts to open it, and one trial every five seconds of the forty.
  EXPECT_GE(*counts.attempts, 20);
  EXPECT_LE(*counts.attempts, 20 + 8 + 2) << "beyond those in flight when it opened";
  EXPECT_GT(*counts.unsent, 0.99 * *counts.offered);
}

}  // namespace
}  // namespace retrystorm
