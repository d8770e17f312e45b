// The ledger holds a row for every attempt and every request, and says the same as the report.
#include "core/ledger.hpp"

#include "tests/loadgen/run_generator.hpp"
#include "tests/temporary_directory.hpp"

#include <algorithm>
#include <csignal>
#include <set>

#include <sys/resource.h>

namespace retrystorm::loadgen {
namespace {

struct Rows {
  LedgerContent<AttemptRecord> attempts;
  LedgerContent<RequestRecord> requests;
};

Rows rows_in(const std::string& directory) {
  return {read_ledger<AttemptRecord>(directory + "/attempts-0.bin"),
          read_ledger<RequestRecord>(directory + "/requests-0.bin")};
}

// The smallest value that at least a share q of `values` do not exceed.
double exact_quantile(std::vector<std::int64_t> values, double q) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
  return milliseconds(Duration(values[std::max<std::size_t>(rank, 1) - 1]));
}

void expect_quantiles(const Quantiles& q, const std::vector<std::int64_t>& values) {
  EXPECT_EQ(q.p50, exact_quantile(values, 0.5));
  EXPECT_EQ(q.p90, exact_quantile(values, 0.9));
  EXPECT_EQ(q.p99, exact_quantile(values, 0.99));
  EXPECT_EQ(q.max, exact_quantile(values, 1));
}

TEST(GeneratorLedger, SaysTheSameAsTheReportForEveryOutcome) {
  const TemporaryDirectory directory;
  Peer peer([](const Heard& h) {
    switch (h.id.request % 5) {
      case 0:
        return Answer{reply(200)};
      case 1:
        return Answer{reply(503)};
      case 2:
        return Answer{};
      case 3:
        return Answer{reply(404)};
      default:
        return Answer{"", Answer::Then::reset};
    }
  });
  LoadOptions options = options_for(peer.url(), 100);
  options.scenario.client.retries = 1;
  options.scenario.client.timeout = 50ms;
  options.ledger = directory.path();
  const Result r = run_generator(options);
  const Rows rows = rows_in(directory.path());

  ASSERT_EQ(rows.attempts.header.token, options.token);
  ASSERT_EQ(rows.attempts.header.origin, nanoseconds_of(r.origin));
  ASSERT_EQ(rows.attempts.records.size(), r.seen.attempts);
  ASSERT_EQ(rows.requests.records.size(), r.seen.offered);
  std::array<std::uint64_t, attempt_outcome_names.size()> attempts{};
  std::set<std::pair<std::uint64_t, std::uint32_t>> ids;
  std::vector<std::int64_t> lag, attempt_latency;
  for (const AttemptRecord& row : rows.attempts.records) {
    ++attempts[static_cast<std::size_t>(row.outcome)];
    EXPECT_TRUE(ids.emplace(row.request, row.attempt).second);
    EXPECT_GE(row.ended, row.sent);
    const bool replied = row.outcome == AttemptOutcome::succeeded ||
                         row.outcome == AttemptOutcome::rejected ||
                         row.outcome == AttemptOutcome::failed_status;
    EXPECT_EQ(row.status != 0, replied);
    if (row.outcome == AttemptOutcome::timed_out) {
      EXPECT_GE(Duration(row.ended - row.sent), 50ms);  // never early
    }
    if (row.outcome == AttemptOutcome::succeeded) attempt_latency.push_back(row.ended - row.sent);
    if (row.attempt == 0) {
      lag.push_back(row.sent - nanoseconds_of(r.origin) -
                    static_cast<std::int64_t>(row.request) * 1'000'000);
    }
  }
  EXPECT_EQ(attempts, r.seen.attempt_outcomes);

  std::array<std::uint64_t, request_outcome_names.size()> requests{};
  std::vector<std::int64_t> latency, all;
  for (const RequestRecord& row : rows.requests.records) {
    ++requests[static_cast<std::size_t>(row.outcome)];
    EXPECT_EQ(row.scheduled,
              nanoseconds_of(r.origin) + static_cast<std::int64_t>(row.request) * 1'000'000);
    all.push_back(row.finished - row.scheduled);
    if (row.outcome == RequestOutcome::succeeded) latency.push_back(all.back());
  }
  EXPECT_EQ(requests, r.seen.request_outcomes);

  // Percentiles are exact while few, and failures, fast or slow, stay out of those of successes.
  const Tally tally = tally_of(r);
  expect_quantiles(tally.request, latency);
  expect_quantiles(tally.attempt, attempt_latency);
  expect_quantiles(tally.all, all);
  expect_quantiles(r.seen.lag.quantiles(), lag);
}

TEST(GeneratorLedger, HoldsTheUnfinishedAfterLeaving) {
  const TemporaryDirectory directory;
  std::optional<Generator> generator;  // outlives the peer, whose script calls it
  Peer peer([&](const Heard& h) {
    if (h.nth == 5) generator->leave();
    return Answer{};
  });
  LoadOptions options = options_for(peer.url(), 1000);
  options.ledger = directory.path();
  generator.emplace(options);
  generator->start();
  const Result r = generator->wait();
  expect_balanced(r);
  const Rows rows = rows_in(directory.path());
  ASSERT_EQ(rows.attempts.records.size(), r.seen.attempts);
  for (const AttemptRecord& row : rows.attempts.records) {
    EXPECT_EQ(row.outcome, AttemptOutcome::unfinished);
  }
  EXPECT_EQ(rows.requests.records.size(), r.seen.offered);
}

TEST(GeneratorLedger, AFullDiskLosesRowsAndSaysSoAndChangesNoOutcome) {
  const TemporaryDirectory directory;
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  LoadOptions options = options_for(peer.url(), 100);
  options.ledger = directory.path();
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  // The stand-in for a full disk: room for ten attempts, or for 12 requests.
  const rlimit small{sizeof(RecordFileHeader) + 10 * sizeof(AttemptRecord), before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const Result r = run_generator(options);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(count(r, RequestOutcome::succeeded), 100U);
  EXPECT_EQ(r.ledger_lost, 90U + 88U);
  EXPECT_THAT(warnings_of(r),
              testing::Contains(testing::HasSubstr("178 ledger records were lost")));
  const Rows rows = rows_in(directory.path());
  EXPECT_EQ(rows.attempts.records.size(), 10U);
  EXPECT_EQ(rows.requests.records.size(), 12U);
}

TEST(GeneratorLedger, ADirectoryThatCannotBeMadeStopsTheRunBeforeItStarts) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 1);
  options.ledger = "/proc/nowhere";
  Generator generator(options);
  EXPECT_THROW(generator.start(), RunFailed);
}

}  // namespace
}  // namespace retrystorm::loadgen
