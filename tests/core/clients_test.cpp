// Several clients as one: whose request it is, what is due first, and what they share.
#include "core/clients.hpp"

#include "core/policy/backoffs.hpp"
#include "tests/alike_classes.hpp"
#include "tests/instants.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

// Two classes that take turns at requests 100 ms apart.
Scenario taking_turns() {
  Scenario s;
  s.client.rate = 10;
  s.client.duration = 1s;
  return in_classes(s, {1, 1});
}

Clients clients_of(const Scenario& s) {
  return Clients(s, Arrivals(s));
}

TEST(Clients, GiveEachRequestToItsClass) {
  Clients clients = clients_of(taking_turns());
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(clients.next_class(), i % 2);
    const Step step = clients.offer(clients.next_offer());
    ASSERT_TRUE(step.send);
    EXPECT_EQ(step.attempt.request, i);
    EXPECT_EQ(step.attempt.client_class, i % 2);
    EXPECT_EQ(clients.class_of(step.attempt.key), i % 2);
    EXPECT_EQ(clients.describe(step.attempt.key).request, i);
    const auto final = clients.ended(step.attempt.key, AttemptOutcome::succeeded, at(100ms * i));
    ASSERT_TRUE(final);
    EXPECT_EQ(final->client_class, i % 2);
    EXPECT_FALSE(clients.live(step.attempt.key));
  }
  EXPECT_EQ(clients.next_offer(), never);
}

TEST(Clients, EachKeepTheirOwnTimeoutAndRetries) {
  Scenario s = taking_turns();
  s.classes[0].client.timeout = 500ms;
  s.classes[1].client.timeout = 30ms;
  s.classes[1].client.retries = 1;
  Clients clients = clients_of(s);
  const Outgoing patient = clients.offer(at(0ms)).attempt;
  const Outgoing hasty = clients.offer(at(100ms)).attempt;
  EXPECT_EQ(clients.next_timeout(), at(130ms));
  AttemptKey key = clients.timeout(at(130ms));
  EXPECT_EQ(key.packed(), hasty.key.packed());
  EXPECT_FALSE(clients.ended(key, AttemptOutcome::timed_out, at(130ms))) << "it has a retry";
  EXPECT_EQ(clients.open_requests(), 2U);
  const Step again = clients.retry(clients.next_retry());
  ASSERT_TRUE(again.send);
  EXPECT_EQ(again.attempt.client_class, 1);
  EXPECT_EQ(clients.next_timeout(), at(160ms));
  ASSERT_TRUE(clients.ended(clients.timeout(at(160ms)), AttemptOutcome::timed_out, at(160ms)));
  EXPECT_EQ(clients.next_timeout(), at(500ms));
  key = clients.timeout(at(500ms));
  EXPECT_EQ(key.packed(), patient.key.packed());
  const auto final = clients.ended(key, AttemptOutcome::timed_out, at(500ms));
  ASSERT_TRUE(final) << "it has none";
  EXPECT_EQ(final->client_class, 0);
}

TEST(Clients, TakeWhatIsDueAtOneInstantInTheOrderOfItsScheduling) {
  Scenario s = taking_turns();
  s.classes[0].client.timeout = 300ms;
  s.classes[1].client.timeout = 200ms;
  for (ClientClass& c : s.classes) c.client.retries = 1;
  Clients clients = clients_of(s);
  const Outgoing zeroth = clients.offer(at(0ms)).attempt;   // due at 300 ms
  const Outgoing first = clients.offer(at(100ms)).attempt;  // also
  const Outgoing third = clients.offer(at(200ms)).attempt;
  EXPECT_EQ(third.client_class, 0);
  EXPECT_EQ(clients.timeout(at(300ms)).packed(), zeroth.key.packed());
  clients.ended(zeroth.key, AttemptOutcome::timed_out, at(300ms));
  EXPECT_EQ(clients.timeout(at(300ms)).packed(), first.key.packed());
  clients.ended(first.key, AttemptOutcome::timed_out, at(300ms));
  clients.ended(third.key, AttemptOutcome::rejected, at(300ms));
  for (const std::uint64_t request : {0U, 1U, 2U}) {
    EXPECT_EQ(clients.next_retry(), at(300ms));
    EXPECT_EQ(clients.retry(at(300ms)).attempt.request, request);
  }
}

TEST(Clients, ShareTheLimitOfAttemptsInFlight) {
  Scenario s = taking_turns();
  s.client.max_in_flight = 3;
  for (ClientClass& c : s.classes) c.client = s.client;
  Clients clients = clients_of(s);
  Outgoing last;
  for (int i = 0; i < 3; ++i) last = clients.offer(at(100ms * i)).attempt;
  const Step fourth = clients.offer(at(300ms));
  EXPECT_FALSE(fourth.send);
  EXPECT_EQ(fourth.final.reason, Reason::in_flight_limit);
  EXPECT_EQ(fourth.final.client_class, 1);
  clients.ended(last.key, AttemptOutcome::succeeded, at(300ms));
  EXPECT_TRUE(clients.offer(at(400ms)).send) << "whoever made room";
  EXPECT_FALSE(clients.offer(at(500ms)).send);
}

TEST(Clients, DrawTheirJitterFromStreamsOfTheirOwn) {
  Scenario s = taking_turns();
  for (ClientClass& c : s.classes) {
    c.client.retries = 1;
    c.client.backoff = 1s;
    c.client.jitter = FullJitter();
  }
  Clients clients = clients_of(s);
  std::vector<Instant> due;
  for (int i = 0; i < 2; ++i) {
    const Outgoing attempt = clients.offer(at(100ms)).attempt;
    clients.ended(attempt.key, AttemptOutcome::rejected, at(100ms));
    due.push_back(clients.next_retry());
    clients.retry(due.back());
  }
  EXPECT_NE(due[0], due[1]);
}

TEST(Clients, TellOfEachClassWhenTheyStopAndAtTheCut) {
  Scenario s = taking_turns();
  s.classes[1].client.retries = 1;
  s.classes[1].client.backoff = 1s;
  Clients clients = clients_of(s);
  clients.offer(at(0ms));
  clients.ended(clients.offer(at(100ms)).attempt.key, AttemptOutcome::rejected, at(100ms));
  std::vector<int> stopped, cut, cut_attempts;
  clients.stop([&](const Final& f) { stopped.push_back(f.client_class); });
  EXPECT_EQ(clients.next_offer(), never);
  clients.cut([&](const Outgoing& a) { cut_attempts.push_back(a.client_class); },
              [&](const Final& f) { cut.push_back(f.client_class); });
  EXPECT_EQ(stopped, std::vector{1});
  EXPECT_EQ(cut, std::vector{0});
  EXPECT_EQ(cut_attempts, std::vector{0});
}

}  // namespace
}  // namespace retrystorm
