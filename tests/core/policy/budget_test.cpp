// The budgets: each against its slow reference under random events, and all against a published
// table.
#include "core/policy/budget.hpp"

#include "core/fields.hpp"
#include "tests/core/policy/budget_reference.hpp"
#include "tests/instants.hpp"
#include "tests/seed.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using What = SpendingEvent::What;

// Three callers whose attempts are sent, end and are retried at random, in spells of few and of
// many failures; every answer of the budget is compared with the reference's, from that caller's
// history.
template <typename Kind>
class Drive {
 public:
  Drive(Kind kind, std::uint64_t seed)
      : kind_(kind),
        budget_(scenario(kind, seed), 0, callers),
        reference_draws_(seed, Stream::budget, 0),
        dice_(seed, Stream::noise) {}

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
      const Duration longest = dice_.uniform() < 0.01 ? 3s : 40ms;
      now_ += Duration(
          static_cast<std::int64_t>(dice_.uniform() * static_cast<double>(longest.count())));
      failing_ = i / 150 % 2 == 0 ? 0.15 : 0.8;
      step();
    }
  }
  int refused() const { return refused_; }
  int allowed() const { return allowed_; }

 private:
  static constexpr std::uint32_t callers = 3;
  struct Attempt {
    std::uint64_t name = 0;  // a retry's is the next after that of the attempt before it
    std::uint32_t caller = 0;
    bool retry = false;
    std::uint32_t mark = 0;
  };

  static Scenario scenario(Kind kind, std::uint64_t seed) {
    Scenario s;
    s.seed = static_cast<std::int64_t>(seed);
    s.client.budget = Budgets(kind);
    return s;
  }

  void step() {
    const double u = dice_.uniform();
    if (u < 0.3) {
      send({1000 * ++requests_, static_cast<std::uint32_t>(requests_ % callers), false, 0});
    } else if (u < 0.55 && !waiting_.empty()) {
      const Attempt retry = take(waiting_);
      if (dice_.uniform() < 0.1) {
        drop(retry);
      } else {
        send(retry);
      }
    } else if (!flying_.empty()) {
      end(take(flying_));
    }
  }

  Attempt take(std::vector<Attempt>& from) {
    const auto i = static_cast<std::ptrdiff_t>(dice_.uniform() * static_cast<double>(from.size()));
    const Attempt taken = from[static_cast<std::size_t>(i)];
    from.erase(from.begin() + i);
    return taken;
  }

  void send(Attempt a) {
    SpendingHistory& history = histories_[a.caller];
    const bool may = reference_may_send(kind_, history, now_, reference_draws_);
    const Reason no = budget_.may_send(a.caller, now_, a.mark);
    ASSERT_EQ(no == Reason::none, may) << "send " << a.name << " at " << nanoseconds_of(now_);
    ++(may ? allowed_ : refused_);
    if (!may) {
      history.push_back({What::kept_back, now_, a.name, a.retry});
      if (a.retry) drop(a);
      return;
    }
    history.push_back({What::sent, now_, a.name, a.retry});
    budget_.sent(a.caller, now_, a.retry);
    if (dice_.uniform() < 0.03) {
      history.push_back({What::not_made, now_, a.name, a.retry});
      budget_.not_made(a.caller, now_, a.retry, a.mark);
      return;
    }
    flying_.push_back(a);
  }

  void drop(const Attempt& retry) {
    histories_[retry.caller].push_back({What::retry_dropped, now_, retry.name, true});
    budget_.retry_dropped(retry.caller);
  }

  void end(Attempt a) {
    constexpr std::array failures = {AttemptOutcome::rejected, AttemptOutcome::timed_out,
                                     AttemptOutcome::failed_status, AttemptOutcome::io_error};
    const auto which = static_cast<std::size_t>(4 * dice_.uniform());
    const bool failed = dice_.uniform() < failing_;
    const AttemptOutcome outcome = failed ? failures[which] : AttemptOutcome::succeeded;
    SpendingHistory& history = histories_[a.caller];
    history.push_back({What::ended, now_, a.name, a.retry, outcome});
    budget_.ended(a.caller, now_, outcome, a.retry, a.mark);
    if (!failed) return;
    const bool may = reference_may_retry(kind_, history, outcome);
    const Reason no = budget_.may_retry(a.caller, now_, outcome, a.mark);
    ASSERT_EQ(no == Reason::none, may) << "retry " << a.name << " at " << nanoseconds_of(now_);
    ++(may ? allowed_ : refused_);
    if (!may) return;
    history.push_back({What::retry_allowed, now_, a.name, a.retry, outcome});
    waiting_.push_back({a.name + 1, a.caller, true, a.mark});
  }

  Kind kind_;
  BudgetAccounts budget_;
  Random reference_draws_, dice_;
  Instant now_{};
  double failing_ = 0;
  std::uint64_t requests_ = 0;
  std::array<SpendingHistory, callers> histories_;
  std::vector<Attempt> flying_, waiting_;
  int refused_ = 0, allowed_ = 0;
};

template <typename Kind>
void expect_like_its_reference(const Kind& kind) {
  for (const std::uint64_t s : seeds<std::uint64_t>(1, 3)) {
    const Seed seed(s);
    Drive<Kind> drive(kind, seed.value());
    drive.run(1500);
    if (testing::Test::HasFatalFailure()) return;
    EXPECT_GT(drive.refused(), 10) << "it never said no";
    EXPECT_GT(drive.allowed(), 10) << "it never said yes";
  }
}

// Parts that binary fractions can hold: then the reference may add them up as they are.
TEST(TokenBucketBudget, DecidesAsItsReferenceDoes) {
  expect_like_its_reference(TokenBucket{4, 0.125, DepositOn::request, 0});
  expect_like_its_reference(TokenBucket{4, 0.25, DepositOn::success, 1});
  expect_like_its_reference(TokenBucket{6.5, 0.5, DepositOn::request, 3});
}

TEST(RatioBudget, DecidesAsItsReferenceDoes) {
  expect_like_its_reference(RetryRatio{0.25, 0, 2s});
  expect_like_its_reference(RetryRatio{0.125, 2, 500ms});
}

TEST(ConcurrentBudget, DecidesAsItsReferenceDoes) {
  expect_like_its_reference(ConcurrentShare{0.25, 1});
  expect_like_its_reference(ConcurrentShare{0.5, 0});
}

TEST(QuotaBudget, DecidesAsItsReferenceDoes) {
  expect_like_its_reference(RetryQuota{40, 5, 3, 10, 1});
}

TEST(AdaptiveThrottleBudget, DecidesAsItsReferenceDoes) {
  expect_like_its_reference(AdaptiveThrottle{1.25, 2s});
}

TEST(CircuitBreakerBudget, DecidesAsItsReferenceDoes) {
  expect_like_its_reference(CircuitBreaker{0.5, 5, 2s, 300ms, 1});
  expect_like_its_reference(CircuitBreaker{0.75, 3, 1s, 100ms, 3});
}

TEST(RetryBreakerBudget, DecidesAsItsReferenceDoes) {
  expect_like_its_reference(RetryBreaker{0.375});
}

TEST(RetryBudget, OfTokensAddsTenthsUpToOne) {
  Scenario s;
  s.client.budget = Budgets(TokenBucket{1, 0.1, DepositOn::request, 0});
  BudgetAccounts budget(s, 0);
  std::uint32_t mark = 0;
  ASSERT_EQ(budget.may_retry(0, at(0ms), AttemptOutcome::rejected, mark), Reason::none);
  for (int i = 0; i < 9; ++i) budget.sent(0, at(0ms), false);
  EXPECT_EQ(budget.may_retry(0, at(0ms), AttemptOutcome::rejected, mark), Reason::budget_exhausted);
  budget.sent(0, at(0ms), false);
  EXPECT_EQ(budget.may_retry(0, at(0ms), AttemptOutcome::rejected, mark), Reason::none);
}

TEST(RetryBudget, KeepsFirstTriesBackOnlyAsThrottleOrCircuitBreaker) {
  std::vector<std::string> names;
  const Field& field = *find_field("client.budget");
  for (const std::string& word : field.words) {
    Scenario s;
    field.set(s, word);
    if (keeps_first_tries_back(s.client)) names.push_back(word);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"adaptive-throttle", "circuit-breaker"}));
}

// ---- M. Brooker, "Fixing retries with token buckets and circuit breakers" (2022): a server whose
// failures do not depend on its load; 100 clients, regenerated with his public simulator ----

struct Outcome {
  double ok = 0, load = 0;  // per request
};

// So many callers with so many requests each; every attempt fails with probability p.
template <typename Kind>
Outcome against_failures(Kind kind, double p, std::uint32_t retries, std::uint32_t callers,
                         int requests, std::uint64_t seed) {
  Scenario s;
  s.client.budget = Budgets(kind);
  BudgetAccounts budget(s, 0, callers);
  Random dice(seed, Stream::noise);
  std::uint64_t ok = 0, attempts = 0;
  for (int i = 0; i < requests; ++i) {
    for (std::uint32_t caller = 0; caller < callers; ++caller) {
      std::uint32_t mark = 0;
      for (std::uint32_t attempt = 0;; ++attempt) {
        ++attempts;
        budget.sent(caller, at(0ms), attempt > 0);
        const bool failed = dice.uniform() < p;
        const auto outcome = failed ? AttemptOutcome::rejected : AttemptOutcome::succeeded;
        budget.ended(caller, at(0ms), outcome, attempt > 0, mark);
        if (!failed) ++ok;
        if (!failed || attempt >= retries) break;
        if (budget.may_retry(caller, at(0ms), outcome, mark) != Reason::none) break;
      }
    }
  }
  const double all = static_cast<double>(requests) * callers;
  return {static_cast<double>(ok) / all, static_cast<double>(attempts) / all};
}

const TokenBucket brookers_bucket{5, 0.1, DepositOn::request, 1};

struct TableRow {
  double p, retries_ok, retries_load, bucket_ok, bucket_load, breaker_ok, breaker_load;
};

TEST(RetryBudgets, AgainstAServerThatFailsAtRandomAreAsInThePublishedTable) {
  const TableRow rows[] = {
      {0.01, 1.000, 1.009, 1.000, 1.009, 0.999, 1.008},
      {0.05, 1.000, 1.052, 1.000, 1.051, 0.988, 1.038},
      {0.10, 1.000, 1.108, 0.993, 1.109, 0.933, 1.035},
      {0.20, 0.999, 1.243, 0.905, 1.135, 0.802, 1.004},
      {0.30, 0.992, 1.409, 0.803, 1.138, 0.701, 1.000},
      {0.50, 0.933, 1.877, 0.569, 1.142, 0.492, 1.000},
      {0.75, 0.684, 2.734, 0.283, 1.144, 0.252, 1.000},
  };
  // Its 10,000 requests leave a standard error of 0.005 for a share, 0.014 for three retries' load.
  const double share = 0.02, load = 0.05;
  const Seed seed(1);
  for (const TableRow& row : rows) {
    SCOPED_TRACE(row.p);
    const Outcome retries = against_failures(NoBudget{}, row.p, 3, 500, 100, seed.value());
    EXPECT_NEAR(retries.ok, row.retries_ok, share);
    EXPECT_NEAR(retries.load, row.retries_load, load);
    // Exactly, for N retries: ok = 1 - p^(N+1), load = ok / (1 - p).
    EXPECT_NEAR(retries.ok, 1 - std::pow(row.p, 4), 0.012);
    EXPECT_NEAR(retries.load, (1 - std::pow(row.p, 4)) / (1 - row.p), 0.03);
    const Outcome bucket = against_failures(brookers_bucket, row.p, 1000, 500, 100, seed.value());
    EXPECT_NEAR(bucket.ok, row.bucket_ok, share);
    EXPECT_NEAR(bucket.load, row.bucket_load, share);
    const Outcome breaker = against_failures(RetryBreaker{0.1}, row.p, 3, 500, 100, seed.value());
    EXPECT_NEAR(breaker.ok, row.breaker_ok, share);
    EXPECT_NEAR(breaker.load, row.breaker_load, share);
  }
}

TEST(RetryBudgets, OfManyTinyCallersMakeABucketPlainRetriesAndARetryBreakerNone) {
  // 10,000 requests in all, of 10, 100 and 1000 callers.
  struct Row {
    std::uint32_t callers;
    double bucket_ok, bucket_load, breaker_ok;
  };
  const Row rows[] = {
      {10, 0.551, 1.104, 1.000}, {100, 0.574, 1.142, 0.988}, {1000, 0.726, 1.462, 0.955}};
  const Seed seed(1);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.callers);
    const int each = static_cast<int>(10'000 / row.callers);
    const Outcome bucket =
        against_failures(brookers_bucket, 0.5, 1000, row.callers, each, seed.value());
    EXPECT_NEAR(bucket.ok, row.bucket_ok, 0.03);
    EXPECT_NEAR(bucket.load, row.bucket_load, 0.05);
    const Outcome breaker =
        against_failures(RetryBreaker{0.1}, 0.05, 3, row.callers, each, seed.value());
    EXPECT_NEAR(breaker.ok, row.breaker_ok, 0.015);
  }
}

}  // namespace
}  // namespace retrystorm
