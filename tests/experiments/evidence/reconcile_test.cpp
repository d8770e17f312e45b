#include "experiments/evidence/reconcile.hpp"

#include "tests/experiments/evidence/hand_made_ledger.hpp"
#include "tests/temporary_directory.hpp"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::ElementsAre;
using testing::IsEmpty;

class Reconcile : public testing::Test {
 protected:
  Reconciliation reconcile_ledger() {
    ledger_.write(directory_.path());
    Database database = open_ledger(directory_.file("run.sqlite"));
    const TryKey key{"arm", 0};
    const Imported imported =
        import_ledgers(database, key, HandMadeLedger::token, Scenario{}, directory_.path());
    return reconcile(database, key, imported);
  }

  TemporaryDirectory directory_;
  HandMadeLedger ledger_;
};

// What remains when the zeros are taken out.
std::map<std::string, std::uint64_t> found(const Reconciliation& all) {
  std::map<std::string, std::uint64_t> result;
  for (const auto& [kind, count] : all) {
    if (count != 0) result[kind] = count;
  }
  return result;
}

struct Exchange {
  std::optional<AttemptOutcome> client;
  std::optional<Disposition> service;
  std::string_view kind;
};

using enum AttemptOutcome;
constexpr auto completed = Disposition::completed;
constexpr auto refused = Disposition::refused;
constexpr auto skipped = Disposition::skipped;
constexpr auto unserved = Disposition::unfinished;

const Exchange exchanges[] = {
    {succeeded, completed, "taken"},
    {rejected, refused, "refused"},
    {timed_out, completed, "abandoned"},
    {io_error, completed, "undelivered"},
    {failed_status, completed, "undelivered"},
    {unfinished, completed, "completed_unfinished"},
    {timed_out, refused, "refused_late"},
    {io_error, refused, "refused_undelivered"},
    {unfinished, refused, "refused_unfinished"},
    {timed_out, skipped, "skipped"},
    {rejected, skipped, "skipped"},
    {timed_out, unserved, "unserved"},
    {unfinished, unserved, "unserved"},
    {connect_error, std::nullopt, "not_connected"},
    {io_error, std::nullopt, "never_seen_io_error"},
    {unfinished, std::nullopt, "never_seen_unfinished"},
    {timed_out, std::nullopt, "never_seen"},
    {succeeded, std::nullopt, "never_seen"},
    {rejected, std::nullopt, "never_seen"},
    {std::nullopt, completed, "completed_attempt_lost"},
    {std::nullopt, refused, "attempt_lost"},
    {std::nullopt, unserved, "attempt_lost"},
    {succeeded, refused, "contradiction"},
    {succeeded, skipped, "contradiction"},
    {succeeded, unserved, "contradiction"},
    {rejected, completed, "contradiction"},
    {failed_status, refused, "contradiction"},
    {connect_error, completed, "contradiction"},
};

TEST_F(Reconcile, GivesEveryExchangeItsOneKindAndCountsIt) {
  // The first of the list once, the second twice, and so on: no count can hide behind another.
  std::map<std::string, std::uint64_t> expected;
  std::uint64_t request = 0;
  for (std::uint64_t n = 1; n <= std::size(exchanges); ++n) {
    const Exchange& e = exchanges[n - 1];
    for (std::uint64_t i = 0; i < n; ++i, ++request) {
      ledger_.request(request,
                      e.client == succeeded ? RequestOutcome::succeeded : RequestOutcome::gave_up);
      if (e.client) ledger_.attempt(request, 0, *e.client);
      if (e.service) ledger_.arrival(request, 0, *e.service);
    }
    expected[std::string(e.kind)] += n;
  }
  EXPECT_EQ(found(reconcile_ledger()), expected);
}

TEST_F(Reconcile, ExplainsAnyStatusOfAFailureOnPurpose) {
  ledger_.request(0, RequestOutcome::gave_up);
  ledger_.attempt(0, 0, failed_status).status = 500;
  ledger_.arrival(0, 0, refused).reason = Reason::injected;
  ledger_.request(1, RequestOutcome::gave_up);
  ledger_.attempt(1, 0, rejected);
  ledger_.arrival(1, 0, refused).reason = Reason::injected;
  const auto all = reconcile_ledger();
  EXPECT_EQ(found(all), (std::map<std::string, std::uint64_t>{{"refused", 2}}));
  EXPECT_THAT(unexplained(all), testing::IsEmpty());
}

TEST_F(Reconcile, CountsStrangersAsArrivals) {
  ledger_.served(0, 0, 10);
  ledger_.arrival(0, 0, completed).token = 0;
  ledger_.arrival(5, 0, refused).token = 99;
  const auto all = reconcile_ledger();
  EXPECT_EQ(all.at("stranger"), 2U);
  EXPECT_EQ(all.at("taken"), 1U);
  EXPECT_THAT(unexplained(all), ElementsAre("arrivals without an id of this run: 2"));
}

TEST_F(Reconcile, JoinsByAttemptAndNotByRequestAlone) {
  ledger_.request(0, RequestOutcome::succeeded);
  ledger_.attempt(0, 0, rejected);
  ledger_.attempt(0, 1, timed_out);
  ledger_.attempt(0, 2, succeeded);
  ledger_.arrival(0, 0, refused);
  ledger_.arrival(0, 1, completed);
  ledger_.arrival(0, 2, completed);
  EXPECT_EQ(found(reconcile_ledger()),
            (std::map<std::string, std::uint64_t>{{"refused", 1}, {"abandoned", 1}, {"taken", 1}}));
}

TEST_F(Reconcile, CountsRecordsThatComeTwice) {
  ledger_.served(0, 0, 10);
  ledger_.served(0, 0, 10);
  const auto all = reconcile_ledger();
  EXPECT_EQ(all.at("request_twice"), 1U);
  EXPECT_EQ(all.at("attempt_twice"), 1U);
  EXPECT_EQ(all.at("arrival_twice"), 1U);
}

TEST_F(Reconcile, CountsRequestsThatOnlyTheirAttemptsTellOf) {
  ledger_.attempt(0, 0, succeeded);
  ledger_.arrival(0, 0, completed);
  EXPECT_EQ(reconcile_ledger().at("request_lost"), 1U);
}

TEST_F(Reconcile, FindsNothingUnexplainedInAWholeRunWithEveryExplainedKind) {
  std::uint64_t request = 0;
  for (const Exchange& e : exchanges) {
    const auto kinds = exchange_kinds();
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const ExchangeKind& k) { return k.name == e.kind; });
    ASSERT_NE(kind, kinds.end()) << e.kind;
    if (!kind->explained) continue;
    ledger_.request(request, RequestOutcome::gave_up);
    if (e.client) ledger_.attempt(request, 0, *e.client);
    if (e.service) ledger_.arrival(request, 0, *e.service);
    ++request;
  }
  ASSERT_GT(request, 10U);
  EXPECT_THAT(unexplained(reconcile_ledger()), IsEmpty());
}

TEST_F(Reconcile, NamesEveryUnexplainedKind) {
  for (const ExchangeKind& kind : exchange_kinds()) {
    const Reconciliation one{{std::string(kind.name), 3}};
    EXPECT_EQ(unexplained(one).empty(), kind.explained) << kind.name;
  }
}

}  // namespace
}  // namespace retrystorm
