// Runs a generator in a test and checks, every time, what must hold whatever the server does.
#pragma once

#include "core/error.hpp"
#include "loadgen/generator.hpp"
#include "tests/loadgen/peer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm::loadgen {

using namespace std::chrono_literals;
using testing_peers::Answer;
using testing_peers::Heard;
using testing_peers::Nobody;
using testing_peers::Peer;
using testing_peers::reply;
using testing_peers::Void;

// A short run: `count` requests, evenly spaced over 100 ms; a timeout that only the silent reach.
inline LoadOptions options_for(const Url& target, int count) {
  LoadOptions options;
  options.target = target;
  options.token = 0x0123456789abcdef;
  options.threads = 1;
  options.scenario.client.duration = 100ms;
  options.scenario.client.rate = 10.0 * count;
  options.scenario.client.timeout = 20s;
  options.scenario.client.max_in_flight = 1000;
  return options;
}

inline std::uint64_t count(const Result& r, AttemptOutcome outcome) {
  return r.seen.of(outcome);
}
inline std::uint64_t count(const Result& r, RequestOutcome outcome) {
  return r.seen.of(outcome);
}
inline std::uint64_t count(const ReasonCounts& by_reason, Reason reason) {
  return by_reason[static_cast<std::size_t>(reason)];
}
inline std::uint64_t total(const ReasonCounts& by_reason) {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : by_reason) sum += n;
  return sum;
}

// The identities of docs/semantics.md and what else must always balance.
inline void expect_balanced(const Result& r) {
  EXPECT_THAT(broken_identities(tally_of(r).counts), testing::IsEmpty());
  EXPECT_EQ(r.failure, "");
  EXPECT_EQ(total(r.seen.gave_up), count(r, RequestOutcome::gave_up));
  EXPECT_EQ(total(r.seen.unsent), count(r, RequestOutcome::unsent));
  EXPECT_EQ(total(r.seen.io_errors), count(r, AttemptOutcome::io_error));
  EXPECT_EQ(total(r.seen.connect_errors), count(r, AttemptOutcome::connect_error));
  EXPECT_EQ(count(r.seen.connect_errors, Reason::none), 0U);
  std::uint64_t replies = 0;
  for (const std::uint64_t n : r.seen.statuses) replies += n;
  EXPECT_EQ(replies, count(r, AttemptOutcome::succeeded) + count(r, AttemptOutcome::rejected) +
                         count(r, AttemptOutcome::failed_status));
  EXPECT_EQ(r.seen.lag.count(), r.seen.offered - count(r, RequestOutcome::unsent));
  EXPECT_EQ(r.seen.request.count(), count(r, RequestOutcome::succeeded));
  EXPECT_EQ(r.seen.attempt.count(), count(r, AttemptOutcome::succeeded));
  EXPECT_EQ(r.seen.all.count(), r.seen.offered - count(r, RequestOutcome::unfinished));
  EXPECT_LE(r.seen.late_read, count(r, AttemptOutcome::succeeded));
}

inline Result run_generator(const LoadOptions& options) {
  Generator generator(options);
  generator.start();
  Result result = generator.wait();
  expect_balanced(result);
  return result;
}

}  // namespace retrystorm::loadgen
