#include "experiments/evidence/tally_from_ledger.hpp"

#include "core/figures.hpp"
#include "experiments/evidence/quantiles.hpp"
#include "tests/alike_classes.hpp"
#include "tests/experiments/evidence/hand_made_ledger.hpp"
#include "tests/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using testing::IsEmpty;
using enum AttemptOutcome;

// A run of 9 s whose settled window is [3 s, 9 s).
Scenario nine_seconds() {
  Scenario s;
  s.client.duration = 9s;
  s.client.timeout = 100ms;
  return s;
}

class TallyFromLedger : public testing::Test {
 protected:
  void import() {
    ledger_.write(directory_.path());
    import_ledgers(database_, key_, HandMadeLedger::token, scenario_, directory_.path());
  }
  Tally tally() {
    import();
    return tally_from_ledger(database_, key_, scenario_, window_);
  }

  Scenario scenario_ = nine_seconds();
  MeasuredWindow window_{instant_at(3s), instant_at(9s), {}};
  TemporaryDirectory directory_;
  Database database_ = open_ledger(directory_.file("run.sqlite"));
  TryKey key_{"arm", 0};
  HandMadeLedger ledger_;
};

TEST_F(TallyFromLedger, HasOneOfEachClassOfClients) {
  scenario_ = in_classes(scenario_, {1, 1});
  scenario_.classes[1].client.timeout = 10ms;
  ledger_.served(0, 0, 20 * ms);
  ledger_.served(1, 4000 * ms, 20 * ms);
  ledger_.requests[1].client_class = ledger_.attempts[1].client_class = 1;
  ledger_.request(2, RequestOutcome::gave_up, 5000 * ms, 5010 * ms, Reason::attempts_used_up)
      .client_class = 1;
  ledger_.attempt(2, 0, timed_out, 5000 * ms, 5010 * ms).client_class = 1;
  ledger_.arrival(2, 0, Disposition::completed, 5000 * ms, 5050 * ms).seen_gone =
      SeenGone::at_reply;
  ledger_.attempt(3, 0, rejected, 6000 * ms, 6002 * ms).client_class = 1;  // its request is lost
  ledger_.arrival(3, 0, Disposition::refused, 6000 * ms, 6001 * ms);
  ledger_.arrival(4, 0, Disposition::refused, 6000 * ms, 6000 * ms);  // of nobody knows which
  const Tally t = tally();
  ASSERT_EQ(t.classes.size(), 2U);
  const Counts& zeroth = t.classes[0].counts;
  EXPECT_EQ(zeroth.offered, 1);
  EXPECT_EQ(zeroth.attempts, 1);
  EXPECT_EQ(zeroth.arrived, 1);
  EXPECT_EQ(zeroth.taken, 1);
  EXPECT_EQ(zeroth.late_read, 0) << "in time for its 100 ms";
  const Counts& first = t.classes[1].counts;
  EXPECT_EQ(first.offered, 3);
  EXPECT_EQ(first.attempts, 3);
  EXPECT_EQ(first.arrived, 3);
  EXPECT_EQ(first.completed, 2);
  EXPECT_EQ(first.abandoned, 1);
  EXPECT_EQ(first.abandoned_seen, 1);
  EXPECT_EQ(first.refused, 1);
  EXPECT_EQ(first.late_read, 1) << "too late for its 10 ms";
  EXPECT_EQ(t.counts.late_read, 1);
  EXPECT_EQ(t.counts.arrived, 5) << "the one of nobody too";
  for (const Tally& of_class : t.classes) {
    EXPECT_THAT(broken_identities(of_class.counts), IsEmpty());
    EXPECT_EQ(of_class.whole.seconds, t.whole.seconds);
  }
  EXPECT_EQ(t.classes[0].settled.goodput_per_s, 0);
  EXPECT_EQ(t.classes[1].settled.goodput_per_s, t.settled.goodput_per_s);
  EXPECT_EQ(t.classes[1].request.max, 20);
}

TEST_F(TallyFromLedger, CountsEveryOutcomeOfBothSides) {
  ledger_.served(0, 0, 20 * ms);
  ledger_.request(1, RequestOutcome::gave_up, 0, 5 * ms, Reason::attempts_used_up);
  ledger_.attempt(1, 0, rejected, 0, 2 * ms);
  ledger_.attempt(1, 1, timed_out, 2 * ms, 102 * ms);
  ledger_.attempt(1, 2, io_error, 102 * ms, 103 * ms);
  ledger_.arrival(1, 0, Disposition::refused);
  ledger_.arrival(1, 1, Disposition::completed, 3 * ms, 150 * ms).seen_gone = SeenGone::at_reply;
  ledger_.arrival(1, 2, Disposition::skipped);
  ledger_.request(2, RequestOutcome::unsent, 0, 0, Reason::ports);
  ledger_.request(3, RequestOutcome::unfinished);
  ledger_.attempt(3, 0, failed_status, 0, 1 * ms);
  ledger_.attempt(3, 1, connect_error, 1 * ms, 2 * ms);
  ledger_.attempt(3, 2, unfinished, 2 * ms);
  ledger_.arrival(3, 0, Disposition::completed, 0, 1 * ms);
  ledger_.arrival(3, 2, Disposition::completed, 3 * ms, 160 * ms);
  ledger_.arrival(77, 0, Disposition::unfinished, 4 * ms);
  const Tally t = tally();
  EXPECT_EQ(t.engine, "testbed");
  std::map<std::string, double> counted;
  visit_counts(t.counts, [&](std::string_view name, const Count& count) {
    if (count.value() != 0) counted[std::string(name)] = *count;
  });
  EXPECT_EQ(counted,
            (std::map<std::string, double>{
                {"offered", 4},       {"succeeded", 1},           {"gave_up", 1},
                {"unsent", 1},        {"unfinished.requests", 1}, {"attempts", 7},
                {"rejected", 1},      {"timed_out", 1},           {"io_error", 1},
                {"failed_status", 1}, {"connect_error", 1},       {"unfinished.attempts", 1},
                {"arrived", 7},       {"completed", 4},           {"refused", 1},
                {"skipped", 1},       {"unfinished.arrivals", 1}, {"taken", 1},
                {"abandoned", 1},     {"undelivered", 1},         {"cut", 1},
                {"abandoned_seen", 1}}));
  EXPECT_THAT(broken_identities(t.counts), IsEmpty());
  EXPECT_DOUBLE_EQ(*t.whole.seconds, 0.160);
  EXPECT_DOUBLE_EQ(*t.whole.amplification, 7.0 / 4);
  EXPECT_DOUBLE_EQ(*t.whole.abandoned_share, 0.25);
}

TEST_F(TallyFromLedger, LeavesStrangersOut) {
  ledger_.served(0, 0, 20 * ms);
  ledger_.arrival(0, 0, Disposition::completed, 0, 8000 * ms).token = 0;
  const Tally t = tally();
  EXPECT_EQ(t.counts.arrived, 1);
  EXPECT_EQ(t.counts.completed, 1);
  EXPECT_DOUBLE_EQ(*t.whole.seconds, 0.020);
}

TEST_F(TallyFromLedger, CountsEachEventInTheSettledWindowByItsOwnInstant) {
  // Scheduled and sent before the window, answered in it.
  ledger_.served(0, 2999 * ms, 20 * ms);
  // Wholly in it, on its first instant.
  ledger_.served(1, 3000 * ms, 20 * ms);
  // Scheduled in it, answered after it.
  ledger_.served(2, 8990 * ms, 20 * ms);
  // Abandoned: sent in the window, completed in it; and completed after it.
  for (const auto& [request, finished] : {std::pair{3U, 8999 * ms}, std::pair{4U, 9000 * ms}}) {
    ledger_.request(request, RequestOutcome::gave_up, 8800 * ms, 8900 * ms);
    ledger_.attempt(request, 0, timed_out, 8800 * ms, 8900 * ms);
    ledger_.arrival(request, 0, Disposition::completed, 8801 * ms, finished);
  }
  const Tally t = tally();
  const Rates& s = t.settled;
  EXPECT_DOUBLE_EQ(*s.seconds, 6);
  EXPECT_DOUBLE_EQ(*s.offered_per_s, 4.0 / 6);
  EXPECT_DOUBLE_EQ(*s.attempts_per_s, 4.0 / 6);
  EXPECT_DOUBLE_EQ(*s.goodput_per_s, 2.0 / 6);
  EXPECT_DOUBLE_EQ(*s.throughput_per_s, 3.0 / 6);
  EXPECT_DOUBLE_EQ(*s.abandoned_share, 1.0 / 3);
  EXPECT_DOUBLE_EQ(*s.amplification, 1);
  EXPECT_DOUBLE_EQ(*t.whole.seconds, 9.010);
}

TEST_F(TallyFromLedger, CountsEachEventInTheStageOfItsOwnInstant) {
  scenario_.client.stages = {{"", 1000, 1000, 3s}, {"burst", 1000, 1000, 6s}};
  ledger_.served(0, 2990 * ms, 20 * ms);  // scheduled in the first stage, answered in the second
  ledger_.served(1, 3000 * ms, 20 * ms);
  ledger_.request(2, RequestOutcome::gave_up, 6000 * ms, 6100 * ms);
  ledger_.attempt(2, 0, timed_out, 6000 * ms, 6100 * ms);
  ledger_.arrival(2, 0, Disposition::completed, 6001 * ms, 8999 * ms);
  ledger_.served(3, 8990 * ms, 20 * ms);  // answered while the run drains
  const Tally t = tally();
  ASSERT_EQ(t.stages.size(), 2U);
  EXPECT_EQ(t.stages[1].stage, "burst=1/s:6s");
  EXPECT_EQ(t.stages[1].from_s, 3);
  EXPECT_EQ(t.stages[1].to_s, 9);
  EXPECT_DOUBLE_EQ(*t.stages[0].whole.offered_per_s, 1.0 / 3);
  EXPECT_DOUBLE_EQ(*t.stages[0].whole.goodput_per_s, 0);
  EXPECT_DOUBLE_EQ(*t.stages[1].whole.offered_per_s, 3.0 / 6);
  EXPECT_DOUBLE_EQ(*t.stages[1].whole.attempts_per_s, 3.0 / 6);
  EXPECT_DOUBLE_EQ(*t.stages[1].whole.goodput_per_s, 2.0 / 6);
  EXPECT_DOUBLE_EQ(*t.stages[1].whole.throughput_per_s, 3.0 / 6);
  EXPECT_DOUBLE_EQ(*t.stages[1].whole.abandoned_share, 1.0 / 3);
  EXPECT_DOUBLE_EQ(*t.stages[1].later.seconds, 4);
  EXPECT_DOUBLE_EQ(*t.stages[1].later.offered_per_s, 2.0 / 4);
}

TEST_F(TallyFromLedger, TellsTheOpeningFromWhatCameLater) {
  ledger_.served(0, 100 * ms, 20 * ms);
  ledger_.served(1, 400 * ms, 20 * ms);
  ledger_.served(2, 5000 * ms, 20 * ms);
  ledger_.served(3, 8999 * ms, 20 * ms);
  import();
  const Opening opening = opening_from_ledger(database_, key_, window_);
  EXPECT_EQ(opening.seconds, 3);
  EXPECT_EQ(opening.succeeded, 2);
  EXPECT_EQ(opening.last_success_ms, 420);
  EXPECT_EQ(opening.after_sending, 1);
}

TEST_F(TallyFromLedger, CountsAReplyReadAfterTheTimeoutAsLateRead) {
  ledger_.served(0, 0, 100 * ms);      // exactly at the timeout is in time
  ledger_.served(1, 0, 100 * ms + 1);  // the client was stalled
  const Tally t = tally();
  EXPECT_EQ(t.counts.succeeded, 2);
  EXPECT_EQ(t.counts.late_read, 1);
  EXPECT_EQ(t.counts.taken, 2);
}

TEST_F(TallyFromLedger, CountsOnlyAbandonedCompletionsAsSeenLater) {
  ledger_.request(0, RequestOutcome::gave_up);
  ledger_.attempt(0, 0, timed_out);
  ledger_.arrival(0, 0, Disposition::completed).seen_gone = SeenGone::later;
  ledger_.served(1, 0, 10);
  ledger_.arrivals.back().seen_gone = SeenGone::later;  // took its reply, then reset
  EXPECT_EQ(tally().counts.seen_later, 1);
}

TEST_F(TallyFromLedger, BalancesWhereAKilledGeneratorLeftGaps) {
  ledger_.attempt(0, 0, succeeded);               // its request's record was lost
  ledger_.request(1, RequestOutcome::succeeded);  // its attempt's record was lost
  ledger_.attempt(2, 0, timed_out);               // its request was still in backoff
  ledger_.arrival(0, 0, Disposition::completed);
  ledger_.arrival(1, 0, Disposition::completed);
  ledger_.arrival(2, 0, Disposition::completed);
  const Tally t = tally();
  EXPECT_THAT(broken_identities(t.counts), IsEmpty());
  EXPECT_EQ(t.counts.offered, 3);
  EXPECT_EQ(t.counts.succeeded, 1);
  EXPECT_EQ(t.counts.unfinished_requests, 2);
  EXPECT_EQ(t.counts.cut, 1);
  EXPECT_EQ(t.counts.abandoned, 1);
}

TEST_F(TallyFromLedger, ADoubledRecordBreaksAnIdentity) {
  ledger_.served(0, 0, 10);
  ledger_.attempt(0, 0, succeeded);
  EXPECT_FALSE(broken_identities(tally().counts).empty());
}

TEST_F(TallyFromLedger, OfAnEmptyLedgerIsZeroAndNotBroken) {
  const Tally t = tally();
  EXPECT_EQ(t.counts.offered, 0);
  EXPECT_EQ(t.counts.completed, 0);
  EXPECT_FALSE(t.request.p50.has_value());
  EXPECT_FALSE(t.whole.abandoned_share.has_value());
  EXPECT_THAT(broken_identities(t.counts), IsEmpty());
}

TEST_F(TallyFromLedger, MeasuresLatencyFromScheduleAndFromSend) {
  ledger_.served(0, 10 * ms, 20 * ms);
  ledger_.requests.back().scheduled -= 5 * ms;  // sent 5 ms late
  ledger_.request(1, RequestOutcome::gave_up, 0, 100 * ms);
  ledger_.attempt(1, 0, timed_out, 0, 100 * ms);
  const Tally t = tally();
  EXPECT_EQ(t.request.p50, 25);
  EXPECT_EQ(t.attempt.p50, 20);
  EXPECT_EQ(t.all.max, 100);
  EXPECT_EQ(t.all.mean, 62.5);
}

TEST(ExactQuantiles, AreByNearestRank) {
  std::vector<std::int64_t> durations;
  for (int i = 1000; i >= 1; --i) durations.push_back(i * ms);
  const Quantiles q = exact_quantiles(durations);
  EXPECT_EQ(q.p50, 500);
  EXPECT_EQ(q.p90, 900);
  EXPECT_EQ(q.p99, 990);
  EXPECT_EQ(q.p999, 999);
  EXPECT_EQ(q.max, 1000);
  EXPECT_EQ(q.mean, 500.5);
  EXPECT_EQ(nearest_rank({7}, 0.001), 7);
  EXPECT_EQ(nearest_rank({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.9), 9);
  EXPECT_EQ(nearest_rank({1, 2, 3}, 0.5), 2);
  EXPECT_EQ(nearest_rank({1, 2, 3}, 0.34), 2);
}

}  // namespace
}  // namespace retrystorm
