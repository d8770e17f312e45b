// Retries in the simulation, held against what must be the same, and against theory.
#include "model/simulate/simulate.hpp"

#include <boost/json.hpp>
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

}  // namespace
}  // namespace retrystorm
