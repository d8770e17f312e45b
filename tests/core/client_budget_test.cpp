// The client's machine with a budget: where it is asked, and what becomes of what it refuses.
#include "core/client.hpp"
#include "tests/instants.hpp"

#include <array>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

Scenario requests_every_100ms(Budgets budget) {
  Scenario s;
  s.client.rate = 10;
  s.client.duration = 2s;
  s.client.retries = 5;
  s.client.budget = budget;
  return s;
}

// Open as soon as one attempt has failed, for 150 ms.
constexpr CircuitBreaker quick_breaker{0.5, 1, 10s, 150ms, 1};

TEST(ClientBudget, DeniesTheRetryThatItCannotPay) {
  const Scenario s = requests_every_100ms(TokenBucket{1, 0, DepositOn::request, 0});
  Client client(s, Arrivals(s));
  const Outgoing first = client.offer(at(0ms)).attempt;
  EXPECT_FALSE(client.ended(first.key, AttemptOutcome::rejected, at(1ms)));
  const Outgoing retry = client.retry(at(1ms)).attempt;
  const auto final = client.ended(retry.key, AttemptOutcome::rejected, at(2ms));
  ASSERT_TRUE(final);
  EXPECT_EQ(final->outcome, RequestOutcome::gave_up);
  EXPECT_EQ(final->reason, Reason::budget_exhausted);
  EXPECT_EQ(client.open_requests(), 0U);
}

TEST(ClientBudget, IsAskedLastSoThatNobodyPaysForWhatIsNotRetriedAnyway) {
  Scenario s = requests_every_100ms(TokenBucket{1, 0, DepositOn::request, 0});
  s.client.backoff = 50ms;
  s.client.deadline = 40ms;
  Client client(s, Arrivals(s));
  for (int i = 0; i < 3; ++i) {
    const Outgoing attempt = client.offer(at(100ms * i)).attempt;
    const auto outcome = i == 0 ? AttemptOutcome::failed_status : AttemptOutcome::rejected;
    const auto final = client.ended(attempt.key, outcome, at(100ms * i + 1ms));
    ASSERT_TRUE(final);
    EXPECT_EQ(final->reason, i == 0 ? Reason::not_retryable : Reason::client_deadline);
  }
}

TEST(ClientBudget, LeavesAFirstTryUnsentAndARetryUnmadeWhileItsBreakerIsOpen) {
  const Scenario s = requests_every_100ms(quick_breaker);
  Client client(s, Arrivals(s));
  const Outgoing first = client.offer(at(0ms)).attempt;
  EXPECT_FALSE(client.ended(first.key, AttemptOutcome::rejected, at(10ms))) << "the retry is due";
  const Step retry = client.retry(at(10ms));
  ASSERT_FALSE(retry.send);
  EXPECT_EQ(retry.final.outcome, RequestOutcome::gave_up);
  EXPECT_EQ(retry.final.reason, Reason::breaker_open);
  const Step second = client.offer(at(100ms));
  ASSERT_FALSE(second.send);
  EXPECT_EQ(second.final.outcome, RequestOutcome::unsent);
  EXPECT_EQ(second.final.reason, Reason::breaker_open);
  EXPECT_EQ(second.final.request, 1U);
  EXPECT_EQ(unsent_kind(Reason::breaker_open), UnsentKind::policy);
  EXPECT_EQ(client.open_requests(), 0U);
  // Half open: one trial, and until it has ended no other.
  const Step trial = client.offer(at(200ms));
  ASSERT_TRUE(trial.send);
  client.ended(trial.attempt.key, AttemptOutcome::succeeded, at(220ms));
  EXPECT_TRUE(client.offer(at(300ms)).send) << "closed again";
  EXPECT_TRUE(client.offer(at(400ms)).send);
}

TEST(ClientBudget, IsEachCallersOwnAndTheyTakeTurns) {
  Scenario s = requests_every_100ms(TokenBucket{1, 0, DepositOn::request, 0});
  s.client.callers = 2;
  Client client(s, Arrivals(s));
  for (int i = 0; i < 4; ++i) {
    const Instant now = at(100ms * i);
    const auto final = client.ended(client.offer(now).attempt.key, AttemptOutcome::rejected, now);
    EXPECT_EQ(final.has_value(), i >= 2) << "each had one token";
    if (final) {
      EXPECT_EQ(final->reason, Reason::budget_exhausted);
    } else {
      client.ended(client.retry(now).attempt.key, AttemptOutcome::succeeded, now);
    }
  }
}

TEST(ClientBudget, OfPoissonArrivalsIsOfACallerDrawnEvenly) {
  Scenario s = requests_every_100ms(TokenBucket{});
  s.client.callers = 4;
  s.client.arrivals = ArrivalProcess::poisson;
  const Callers callers(s);
  std::array<int, 4> requests{};
  for (std::uint64_t i = 0; i < 40'000; ++i) ++requests.at(callers.of(i));
  // Binomial: five standard deviations of 87.
  for (const int n : requests) EXPECT_NEAR(n, 10'000, 5 * 87);
  EXPECT_EQ(Callers(Scenario{}).of(17), 0U);
}

TEST(ClientBudget, IsOfEachRequestsOwnAttempts) {
  // A retry that succeeds gives back its own cost.
  const Scenario s = requests_every_100ms(RetryQuota{10, 10, 10, 10, 0});
  Client client(s, Arrivals(s));
  for (int i = 0; i < 5; ++i) {
    const Instant now = at(100ms * i);
    EXPECT_FALSE(client.ended(client.offer(now).attempt.key, AttemptOutcome::rejected, now));
    const auto final = client.ended(client.retry(now).attempt.key, AttemptOutcome::succeeded, now);
    ASSERT_TRUE(final);
    EXPECT_EQ(final->outcome, RequestOutcome::succeeded);
  }
}

}  // namespace
}  // namespace retrystorm
