// One server behaviour each, and the outcome it becomes.
#include "core/random.hpp"
#include "tests/loadgen/run_generator.hpp"
#include "tests/seed.hpp"

#include <cmath>
#include <set>

namespace retrystorm::loadgen {
namespace {

Answer silent() {
  return {};
}

TEST(GeneratorOutcomes, RepliesInTimeSucceedOnKeptConnections) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  const Result r = run_generator(options_for(peer.url(), 50));
  EXPECT_EQ(r.seen.offered, 50U);
  EXPECT_EQ(count(r, RequestOutcome::succeeded), 50U);
  EXPECT_EQ(peer.accepted(), r.connections);
  EXPECT_EQ(peer.heard().size(), 50U);
}

TEST(GeneratorOutcomes, EveryStatus2xxSucceeds) {
  Peer peer([](const Heard& h) {
    return Answer{h.nth % 2 == 0 ? reply(201) : "HTTP/1.1 204 No Content\r\n\r\n"};
  });
  EXPECT_EQ(count(run_generator(options_for(peer.url(), 10)), RequestOutcome::succeeded), 10U);
}

TEST(GeneratorOutcomes, SilenceTimesOutAndTheConnectionIsClosed) {
  Peer peer([](const Heard&) { return silent(); });
  LoadOptions options = options_for(peer.url(), 20);
  options.scenario.client.timeout = 30ms;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::timed_out), 20U);
  EXPECT_EQ(count(r, RequestOutcome::gave_up), 20U);
  EXPECT_EQ(r.connections, 20U);  // none is used again
  EXPECT_EQ(peer.wait_for_ends(20), std::make_pair(std::uint64_t{20}, std::uint64_t{0}));
}

TEST(GeneratorOutcomes, AbandonRstResetsInsteadOfClosing) {
  Peer peer([](const Heard&) { return silent(); });
  LoadOptions options = options_for(peer.url(), 20);
  options.scenario.client.timeout = 30ms;
  options.scenario.client.abandon = Abandon::rst;
  EXPECT_EQ(count(run_generator(options), AttemptOutcome::timed_out), 20U);
  EXPECT_EQ(peer.wait_for_ends(20), std::make_pair(std::uint64_t{0}, std::uint64_t{20}));
}

TEST(GeneratorOutcomes, AnUnacceptedConnectionTimesOutLikeASilentOne) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 20);
  options.scenario.client.timeout = 20ms;
  options.scenario.client.retries = 1;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::timed_out), 40U);
  EXPECT_EQ(count(r.seen.gave_up, Reason::attempts_used_up), 20U);
}

TEST(GeneratorOutcomes, AReplyAfterTheTimeoutIsNeverRead) {
  // The late reply is written when the retry has arrived, on a connection of its own.
  Peer* self = nullptr;
  Peer peer([&](const Heard& h) {
    if (h.nth == 0) return silent();
    self->say(0, reply(503));
    return Answer{reply(200)};
  });
  self = &peer;
  LoadOptions options = options_for(peer.url(), 1);
  options.scenario.client.timeout = 100ms;
  options.scenario.client.retries = 5;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::rejected), 0U);
  EXPECT_EQ(count(r, RequestOutcome::succeeded), 1U);
  EXPECT_EQ(r.connections, count(r, AttemptOutcome::timed_out) + 1);
}

TEST(GeneratorOutcomes, NobodyListeningIsAConnectError) {
  const Nobody nobody;
  LoadOptions options = options_for(nobody.url(), 30);
  options.scenario.client.retries = 2;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::connect_error), 90U);
  EXPECT_EQ(count(r.seen.connect_errors, Reason::connection_refused), 90U);
  EXPECT_EQ(count(r, RequestOutcome::gave_up), 30U);
  EXPECT_FALSE(r.interrupted);
}

TEST(GeneratorOutcomes, AResetIsAnIoErrorAndIsRetried) {
  Peer peer([](const Heard& h) {
    return h.id.attempt == 0 ? Answer{"", Answer::Then::reset} : Answer{reply(200)};
  });
  LoadOptions options = options_for(peer.url(), 20);
  options.scenario.client.retries = 1;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::io_error), 20U);
  EXPECT_EQ(count(r.seen.io_errors, Reason::reset), 20U);
  EXPECT_EQ(count(r, RequestOutcome::succeeded), 20U);
}

TEST(GeneratorOutcomes, ACloseWithoutReplyIsAnEarlyClose) {
  Peer peer([](const Heard&) { return Answer{"", Answer::Then::close}; });
  const Result r = run_generator(options_for(peer.url(), 20));
  EXPECT_EQ(count(r.seen.io_errors, Reason::early_close), 20U);
}

TEST(GeneratorOutcomes, ACloseWithoutReplyOnAKeptConnectionIsNotCalledStale) {
  // The server read the request before it closed: the request may have been done.
  Peer peer([](const Heard& h) {
    return h.on_connection == 0 ? Answer{reply(200)} : Answer{"", Answer::Then::close};
  });
  LoadOptions options = options_for(peer.url(), 20);
  options.scenario.client.max_in_flight = 1;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r.seen.io_errors, Reason::stale), 0U);
  EXPECT_EQ(count(r.seen.io_errors, Reason::early_close), count(r, AttemptOutcome::io_error));
}

TEST(GeneratorOutcomes, AReplyCutShortIsAnEarlyClose) {
  const std::string whole = reply(200);
  Peer peer([&](const Heard& h) {
    return Answer{whole.substr(0, 1 + h.nth % (whole.size() - 1)), Answer::Then::close};
  });
  const Result r = run_generator(options_for(peer.url(), static_cast<int>(whole.size())));
  EXPECT_EQ(count(r.seen.io_errors, Reason::early_close), whole.size());
}

TEST(GeneratorOutcomes, AReplyCutShortByAResetIsAReset) {
  Peer peer([](const Heard&) { return Answer{"HTTP/1.1 200", Answer::Then::reset}; });
  const Result r = run_generator(options_for(peer.url(), 20));
  EXPECT_EQ(count(r.seen.io_errors, Reason::reset), 20U);
}

TEST(GeneratorOutcomes, GarbageIsABadReplyAndTheConnectionIsLeft) {
  Peer peer([](const Heard&) { return Answer{"220 mail.example ESMTP\r\n\r\n"}; });
  const Result r = run_generator(options_for(peer.url(), 20));
  EXPECT_EQ(count(r.seen.io_errors, Reason::bad_reply), 20U);
  EXPECT_EQ(peer.wait_for_ends(20).first, 20U);
}

TEST(GeneratorOutcomes, AReplyThatCannotBeReadSaysWhy) {
  const std::pair<std::string, Reason> unreadable[] = {
      {"HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'h') + "\r\n\r\n", Reason::long_header},
      {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", Reason::bad_length},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Reason::bad_chunk},
      {"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", Reason::bad_header},
  };
  Peer peer([&](const Heard& h) { return Answer{unreadable[h.nth % 4].first}; });
  const Result r = run_generator(options_for(peer.url(), 20));
  for (const auto& [bytes, reason] : unreadable) {
    EXPECT_EQ(count(r.seen.io_errors, reason), 5U) << name(reason);
  }
}

TEST(GeneratorOutcomes, A503IsRejectedAndRetriedOnTheSameConnection) {
  Peer peer([](const Heard& h) { return Answer{reply(h.id.attempt == 0 ? 503 : 200)}; });
  LoadOptions options = options_for(peer.url(), 20);
  options.scenario.client.retries = 2;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::rejected), 20U);
  EXPECT_EQ(count(r, RequestOutcome::succeeded), 20U);
  EXPECT_EQ(r.seen.attempts, 40U);
  // A first attempt and its retry are neighbours on one connection, unless others came in between.
  EXPECT_LE(r.connections, 20U);
}

TEST(GeneratorOutcomes, A429IsRejectedAndRetriesEnd) {
  Peer peer([](const Heard&) { return Answer{reply(429)}; });
  LoadOptions options = options_for(peer.url(), 20);
  options.scenario.client.retries = 3;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::rejected), 80U);
  EXPECT_EQ(count(r.seen.gave_up, Reason::attempts_used_up), 20U);
}

TEST(GeneratorOutcomes, OtherStatusesAreFailuresThatAreNotRetried) {
  const int statuses[] = {301, 400, 404, 500, 502, 504};
  Peer peer([&](const Heard& h) { return Answer{reply(statuses[h.nth % 6])}; });
  LoadOptions options = options_for(peer.url(), 24);
  options.scenario.client.retries = 2;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::failed_status), 24U);
  EXPECT_EQ(r.seen.attempts, 24U);
  EXPECT_EQ(count(r, RequestOutcome::gave_up), 24U);
  for (const int status : statuses) {
    EXPECT_EQ(r.seen.statuses[static_cast<std::size_t>(status)], 4U) << status;
  }
}

// With N retries a request succeeds with probability 1 - p^(N+1), after (1 - p^(N+1)) / (1 - p)
// attempts on the mean.
TEST(GeneratorOutcomes, AForeignServerThatFailsAtRandomIsRetriedAsTheorySays) {
  const Seed seed(21);
  Random dice(seed.value(), Stream::noise);
  Peer peer([&](const Heard&) { return Answer{reply(dice.uniform() < 0.5 ? 503 : 200)}; });
  LoadOptions options = options_for(peer.url(), 100);  // in 100 ms
  options.scenario.client.duration = 500ms;
  options.scenario.client.retries = 3;
  const Result r = run_generator(options);
  const double n = 500;
  ASSERT_EQ(r.seen.offered, 500U);
  EXPECT_NEAR(static_cast<double>(count(r, RequestOutcome::succeeded)) / n, 0.9375,
              5 * std::sqrt(0.9375 * 0.0625 / n));
  // The variance of one request's attempts is 1.11.
  EXPECT_NEAR(static_cast<double>(r.seen.attempts) / n, 1.875, 5 * std::sqrt(1.11 / n));
}

TEST(GeneratorOutcomes, SingleStatusesAreRetriedAsTold) {
  Peer peer([](const Heard& h) { return Answer{reply(h.id.request % 2 == 0 ? 502 : 500)}; });
  LoadOptions options = options_for(peer.url(), 20);
  options.scenario.client.retries = 1;
  options.scenario.client.retry_statuses = {"502"};
  const Result r = run_generator(options);
  EXPECT_EQ(r.seen.attempts, 30U);
  EXPECT_EQ(count(r.seen.gave_up, Reason::attempts_used_up), 10U);
  EXPECT_EQ(count(r.seen.gave_up, Reason::not_retryable), 10U);
}

TEST(GeneratorOutcomes, ARetryAfterTakenExactlyStandsInPlaceOfTheDelay) {
  Peer peer([](const Heard& h) {
    return Answer{h.id.attempt == 0 ? reply(503, "Retry-After: 0\r\n") : reply(200)};
  });
  LoadOptions options = options_for(peer.url(), 10);
  options.scenario.client.retries = 1;
  options.scenario.client.backoff = 1h;
  options.scenario.client.retry_after = RetryAfter::exact;
  EXPECT_EQ(count(run_generator(options), RequestOutcome::succeeded), 10U);
}

TEST(GeneratorOutcomes, AtTheDeadlineTheAttemptIsClosedAsAfterATimeout) {
  Peer peer([](const Heard&) { return silent(); });
  LoadOptions options = options_for(peer.url(), 10);
  options.scenario.client.timeout = 1h;
  options.scenario.client.retries = 3;
  options.scenario.client.deadline = 30ms;
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::timed_out), 10U);
  EXPECT_EQ(count(r.seen.gave_up, Reason::client_deadline), 10U);
  EXPECT_EQ(peer.wait_for_ends(10), std::make_pair(std::uint64_t{10}, std::uint64_t{0}));
}

TEST(GeneratorOutcomes, OnlyOutcomesInRetryOnAreRetried) {
  Peer peer([](const Heard& h) { return Answer{reply(h.id.request % 2 == 0 ? 503 : 500)}; });
  LoadOptions options = options_for(peer.url(), 20);
  options.scenario.client.retries = 1;
  options.scenario.client.retry_on = OutcomeSet::of(AttemptOutcome::failed_status);
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::rejected), 10U);
  EXPECT_EQ(count(r, AttemptOutcome::failed_status), 20U);
}

TEST(GeneratorOutcomes, ConnectionCloseIsObeyed) {
  Peer peer([](const Heard&) { return Answer{reply(200, "Connection: close\r\n")}; });
  const Result r = run_generator(options_for(peer.url(), 20));
  EXPECT_EQ(count(r, RequestOutcome::succeeded), 20U);
  EXPECT_EQ(peer.wait_for_ends(20).first, 20U);  // the client closes: the peer kept them open
}

TEST(GeneratorOutcomes, RepliesArriveInAnyPieces) {
  Peer peer([](const Heard& h) {
    const std::string chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    return Answer{h.nth % 2 == 0 ? chunked : reply(200), Answer::Then::keep, true};
  });
  EXPECT_EQ(count(run_generator(options_for(peer.url(), 20)), RequestOutcome::succeeded), 20U);
}

TEST(GeneratorOutcomes, AReplyThatEndsWithTheConnectionSucceeds) {
  Peer peer([](const Heard&) { return Answer{"HTTP/1.1 200 OK\r\n\r\nall", Answer::Then::close}; });
  EXPECT_EQ(count(run_generator(options_for(peer.url(), 20)), RequestOutcome::succeeded), 20U);
}

TEST(GeneratorOutcomes, UnaskedBytesEndAKeptConnection) {
  Peer peer([](const Heard&) { return Answer{reply(200) + reply(200)}; });
  const Result r = run_generator(options_for(peer.url(), 20));
  EXPECT_EQ(count(r, RequestOutcome::succeeded), 20U);
  EXPECT_EQ(r.connections, 20U);
}

TEST(GeneratorOutcomes, AttemptIdsAreUniqueAndWhole) {
  Peer peer([](const Heard&) { return Answer{reply(503)}; });
  LoadOptions options = options_for(peer.url(), 120);
  options.scenario.client.retries = 10;  // two-digit numbers of both kinds
  const Result r = run_generator(options);
  EXPECT_EQ(r.seen.attempts, 120U * 11);
  std::set<std::pair<std::uint64_t, std::uint32_t>> ids;
  for (const Heard& h : peer.heard()) {
    EXPECT_EQ(h.id.token, options.token);
    EXPECT_LT(h.id.request, 120U);
    EXPECT_LE(h.id.attempt, 10U);
    EXPECT_TRUE(ids.emplace(h.id.request, h.id.attempt).second);
    EXPECT_EQ(h.head.find("GET /work HTTP/1.1\r\nHost: 127.0.0.1:"), 0U) << h.head;
  }
  EXPECT_EQ(ids.size(), r.seen.attempts);
}

}  // namespace
}  // namespace retrystorm::loadgen
