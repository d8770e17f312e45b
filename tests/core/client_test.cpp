// The client's machine on virtual time.
#include "core/client.hpp"

#include "tests/instants.hpp"

#include <set>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

Scenario two_requests(std::int64_t retries, Duration backoff = 0ms) {
  Scenario s;
  s.client.rate = 10;
  s.client.duration = 200ms;
  s.client.retries = retries;
  s.client.backoff = backoff;
  return s;
}

Client client_of(const Scenario& s) {
  return Client(s, Arrivals(s));
}

TEST(Client, OffersOnItsScheduleWhateverHappenedBefore) {
  Client client = client_of(two_requests(0));
  EXPECT_EQ(client.next_offer(), at(0ms));
  const Step first = client.offer(at(3ms));  // late: leaves at once
  ASSERT_TRUE(first.send);
  EXPECT_EQ(first.attempt.scheduled, at(0ms));
  EXPECT_EQ(first.attempt.sent, at(3ms));
  EXPECT_EQ(client.next_offer(), at(100ms)) << "the schedule is absolute";
  ASSERT_TRUE(client.offer(at(100ms)).send);
  EXPECT_EQ(client.next_offer(), never);
  EXPECT_EQ(client.in_flight(), 2U);
}

TEST(Client, TimesAnAttemptOutItsTimeoutAfterItsSendNotAfterItsSchedule) {
  Client client = client_of(two_requests(0));
  const Outgoing attempt = client.offer(at(3ms)).attempt;
  EXPECT_EQ(client.next_timeout(), at(103ms));
  const AttemptKey key = client.timeout(at(103ms));
  EXPECT_TRUE(client.live(key));
  const auto final = client.ended(key, AttemptOutcome::timed_out, at(103ms));
  ASSERT_TRUE(final);
  EXPECT_EQ(final->outcome, RequestOutcome::gave_up);
  EXPECT_EQ(final->reason, Reason::attempts_used_up);
  EXPECT_FALSE(client.live(attempt.key)) << "a late reply finds its key stale";
  EXPECT_EQ(client.next_timeout(), never);
}

TEST(Client, WhoseAttemptSucceededForgetsItsTimeoutAndItsRequest) {
  Client client = client_of(two_requests(2));
  const Outgoing attempt = client.offer(at(0ms)).attempt;
  const auto final = client.ended(attempt.key, AttemptOutcome::succeeded, at(20ms));
  ASSERT_TRUE(final);
  EXPECT_EQ(final->outcome, RequestOutcome::succeeded);
  EXPECT_EQ(client.next_timeout(), never);
  EXPECT_EQ(client.open_requests(), 0U);
}

TEST(Client, RetriesAtOnceUntilItsAttemptsAreUsedUpCountingFromZero) {
  Client client = client_of(two_requests(2));
  Outgoing attempt = client.offer(at(0ms)).attempt;
  for (std::uint32_t n = 1; n <= 2; ++n) {
    EXPECT_FALSE(client.ended(attempt.key, AttemptOutcome::rejected, at(1ms)));
    EXPECT_EQ(client.next_retry(), at(1ms));
    const Step step = client.retry(at(1ms));
    ASSERT_TRUE(step.send);
    attempt = step.attempt;
    EXPECT_EQ(attempt.attempt, n);
    EXPECT_EQ(attempt.request, 0U);
  }
  const auto final = client.ended(attempt.key, AttemptOutcome::rejected, at(1ms));
  ASSERT_TRUE(final);
  EXPECT_EQ(final->outcome, RequestOutcome::gave_up);
}

TEST(Client, WithABackoffRetriesThatMuchLaterAndMayStillSucceed) {
  Client client = client_of(two_requests(1, 50ms));
  const Outgoing first = client.offer(at(0ms)).attempt;
  EXPECT_FALSE(client.ended(first.key, AttemptOutcome::rejected, at(1ms)));
  EXPECT_EQ(client.next_retry(), at(51ms));
  EXPECT_EQ(client.in_flight(), 0U);
  EXPECT_EQ(client.open_requests(), 1U);
  const Outgoing second = client.retry(at(51ms)).attempt;
  EXPECT_EQ(client.next_timeout(), at(151ms)) << "a timeout of its own";
  EXPECT_EQ(client.ended(second.key, AttemptOutcome::succeeded, at(71ms))->outcome,
            RequestOutcome::succeeded);
}

TEST(Client, RetriesOnlyWhatIsInRetryOn) {
  Scenario s = two_requests(5);
  s.client.retry_on = OutcomeSet::of(AttemptOutcome::timed_out);
  Client client = client_of(s);
  const Outgoing attempt = client.offer(at(0ms)).attempt;
  const auto final = client.ended(attempt.key, AttemptOutcome::rejected, at(1ms));
  ASSERT_TRUE(final);
  EXPECT_EQ(final->reason, Reason::not_retryable);
  const Outgoing other = client.offer(at(100ms)).attempt;
  EXPECT_FALSE(client.ended(other.key, AttemptOutcome::timed_out, at(200ms)));
}

TEST(Client, RetriesSingleStatusesBesides) {
  Scenario s = two_requests(5);
  s.client.retry_statuses = {"502", "504"};
  Client client = client_of(s);
  const Outgoing first = client.offer(at(0ms)).attempt;
  EXPECT_FALSE(client.ended(first.key, AttemptOutcome::failed_status, at(1ms), {504, {}}));
  const Outgoing second = client.offer(at(100ms)).attempt;
  EXPECT_EQ(client.ended(second.key, AttemptOutcome::failed_status, at(101ms), {500, {}})->reason,
            Reason::not_retryable);
}

TEST(Client, NamesTheFirstReasonAgainstARetry) {
  Scenario s = two_requests(0, 50ms);
  s.client.deadline = 10ms;
  Client none = client_of(s);
  const Outgoing used_up = none.offer(at(0ms)).attempt;
  EXPECT_EQ(none.ended(used_up.key, AttemptOutcome::failed_status, at(1ms))->reason,
            Reason::not_retryable);
  const Outgoing last = none.offer(at(100ms)).attempt;
  EXPECT_EQ(none.ended(last.key, AttemptOutcome::rejected, at(101ms))->reason,
            Reason::attempts_used_up);
  s.client.retries = 1;
  Client one = client_of(s);
  const Outgoing late = one.offer(at(0ms)).attempt;
  EXPECT_EQ(one.ended(late.key, AttemptOutcome::rejected, at(1ms))->reason,
            Reason::client_deadline);
  const Outgoing cut_off = one.offer(at(100ms)).attempt;
  one.stop([](const Final&) {});
  EXPECT_EQ(one.ended(cut_off.key, AttemptOutcome::rejected, at(101ms))->reason,
            Reason::interrupted);
}

TEST(Client, WithADeadlineClosesTheAttemptInFlightAtIt) {
  Scenario s = two_requests(5, 20ms);
  s.client.deadline = 150ms;
  Client client = client_of(s);
  const Outgoing first = client.offer(at(3ms)).attempt;
  EXPECT_EQ(client.next_timeout(), at(103ms)) << "its own timeout is sooner";
  EXPECT_EQ(client.timeout(at(103ms)).packed(), first.key.packed());
  EXPECT_FALSE(client.ended(first.key, AttemptOutcome::timed_out, at(103ms)));
  ASSERT_TRUE(client.retry(at(123ms)).send);
  EXPECT_EQ(client.next_timeout(), at(153ms)) << "the deadline counts from the first send";
  const auto final = client.ended(client.timeout(at(153ms)), AttemptOutcome::timed_out, at(153ms));
  ASSERT_TRUE(final);
  EXPECT_EQ(final->outcome, RequestOutcome::gave_up);
  EXPECT_EQ(final->reason, Reason::client_deadline);
}

TEST(Client, WithADeadlineMakesNoRetryThatWouldBeDueAtIt) {
  Scenario s = two_requests(5, 20ms);
  s.client.deadline = 50ms;
  Client client = client_of(s);
  const Outgoing first = client.offer(at(0ms)).attempt;
  EXPECT_EQ(client.ended(first.key, AttemptOutcome::rejected, at(30ms))->reason,
            Reason::client_deadline);
  const Outgoing second = client.offer(at(100ms)).attempt;
  EXPECT_FALSE(client.ended(second.key, AttemptOutcome::rejected, at(129ms)));
  const Step late = client.retry(at(150ms));
  EXPECT_FALSE(late.send) << "who wakes late finds no time left";
  EXPECT_EQ(late.final.reason, Reason::client_deadline);
}

TEST(Client, TakesRetryAfterAsItIsToldTo) {
  Scenario s = two_requests(5, 50ms);
  const auto retried_after = [&](Duration asked) {
    Client client = client_of(s);
    const Outgoing attempt = client.offer(at(0ms)).attempt;
    EXPECT_FALSE(client.ended(attempt.key, AttemptOutcome::rejected, at(0ms), {503, asked}));
    return client.next_retry();
  };
  EXPECT_EQ(retried_after(1s), at(50ms)) << "ignored";
  s.client.retry_after = RetryAfter::honour;
  EXPECT_EQ(retried_after(1s), at(1s));
  EXPECT_EQ(retried_after(10ms), at(50ms)) << "the delay is the least";
  s.client.retry_after = RetryAfter::exact;
  EXPECT_EQ(retried_after(10ms), at(10ms));
  s.client.retry_after_max = 300ms;
  EXPECT_EQ(retried_after(1s), at(300ms));
  s.client.retry_after = RetryAfter::honour;
  EXPECT_EQ(retried_after(1s), at(300ms));
}

TEST(Client, AtItsCapLeavesARequestUnsentAndARetryUnmade) {
  Scenario s = two_requests(1, 50ms);
  s.client.max_in_flight = 1;
  s.client.timeout = 1s;
  Client client = client_of(s);
  const Outgoing first = client.offer(at(0ms)).attempt;
  const Step second = client.offer(at(100ms));
  ASSERT_FALSE(second.send);
  EXPECT_EQ(second.final.outcome, RequestOutcome::unsent);
  EXPECT_EQ(second.final.reason, Reason::in_flight_limit);
  EXPECT_EQ(second.final.request, 1U);
  EXPECT_FALSE(client.ended(first.key, AttemptOutcome::rejected, at(110ms)));
  EXPECT_TRUE(client.retry(at(160ms)).send);
}

TEST(Client, ToldThatItsCapIsTheMachinesNamesIt) {
  Scenario s = two_requests(0);
  s.client.max_in_flight = 1;
  s.client.timeout = 1s;
  Client client(s, Arrivals(s), 0, Reason::in_flight_cap);
  client.offer(at(0ms));
  EXPECT_EQ(client.offer(at(100ms)).final.reason, Reason::in_flight_cap);
}

TEST(UnsentKind, IsAShortageOfWhatTheGeneratorRanOutOfAndAPolicyOtherwise) {
  std::vector<std::string_view> shortages;
  for (const ReasonRow& row : reasons) {
    if (unsent_kind(row.reason) == UnsentKind::shortage) shortages.push_back(row.name);
  }
  EXPECT_EQ(shortages,
            (std::vector<std::string_view>{"in_flight_cap", "ports", "descriptors", "memory"}));
  EXPECT_EQ(unsent_kind(Reason::in_flight_limit), UnsentKind::policy);
}

TEST(Client, ThatCannotMakeAnAttemptCallsItUnsentOrGivesUpIfItWasARetry) {
  Client client = client_of(two_requests(1));
  const Outgoing first = client.offer(at(0ms)).attempt;
  EXPECT_EQ(client.not_made(first.key, Reason::ports).outcome, RequestOutcome::unsent);
  const Outgoing second = client.offer(at(100ms)).attempt;
  EXPECT_FALSE(client.ended(second.key, AttemptOutcome::rejected, at(101ms)));
  const Outgoing retry = client.retry(at(101ms)).attempt;
  const Final final = client.not_made(retry.key, Reason::descriptors);
  EXPECT_EQ(final.outcome, RequestOutcome::gave_up);
  EXPECT_EQ(final.reason, Reason::descriptors);
  EXPECT_EQ(client.in_flight(), 0U);
}

TEST(Client, StoppedOffersNothingMoreAndGivesUpWhatWaitsForARetry) {
  Client client = client_of(two_requests(3, 50ms));
  const Outgoing first = client.offer(at(0ms)).attempt;
  const Outgoing second = client.offer(at(100ms)).attempt;
  EXPECT_FALSE(client.ended(first.key, AttemptOutcome::rejected, at(101ms)));
  std::vector<Final> finals;
  client.stop([&](const Final& f) { finals.push_back(f); });
  ASSERT_EQ(finals.size(), 1U);
  EXPECT_EQ(finals[0].reason, Reason::interrupted);
  EXPECT_EQ(client.next_offer(), never);
  EXPECT_EQ(client.next_retry(), never);
  const auto final = client.ended(second.key, AttemptOutcome::timed_out, at(200ms));
  ASSERT_TRUE(final);
  EXPECT_EQ(final->reason, Reason::interrupted);
}

TEST(Client, CutOffNamesEveryOpenAttemptAndRequestOnce) {
  Scenario s = two_requests(1, 50ms);
  Client client = client_of(s);
  const Outgoing first = client.offer(at(0ms)).attempt;
  client.offer(at(100ms));
  EXPECT_FALSE(client.ended(first.key, AttemptOutcome::rejected, at(110ms)));
  std::vector<Outgoing> attempts;
  std::set<std::uint64_t> requests;
  client.cut([&](const Outgoing& a) { attempts.push_back(a); },
             [&](const Final& f) {
               EXPECT_EQ(f.outcome, RequestOutcome::unfinished);
               requests.insert(f.request);
             });
  ASSERT_EQ(attempts.size(), 1U);
  EXPECT_EQ(attempts[0].request, 1U);
  EXPECT_EQ(requests, (std::set<std::uint64_t>{0, 1}));
  EXPECT_EQ(client.open_requests(), 0U);
  EXPECT_EQ(client.next_timeout(), never);
}

TEST(Client, ReusingASlotNeverTakesAnOldKeyForANewAttempt) {
  Scenario s;
  s.client.rate = 1000;
  Client client = client_of(s);
  std::vector<AttemptKey> old;
  for (int i = 0; i < 100; ++i) {
    const Outgoing attempt = client.offer(at(1ms * i)).attempt;
    for (const AttemptKey key : old) EXPECT_FALSE(client.live(key));
    client.ended(attempt.key, AttemptOutcome::succeeded, at(1ms * i));
    old.push_back(attempt.key);
  }
}

}  // namespace
}  // namespace retrystorm
