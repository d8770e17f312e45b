#include "experiments/evidence/run_budget.hpp"

#include "core/error.hpp"
#include "core/reason.hpp"
#include "experiments/evidence/import.hpp"
#include "tests/temporary_directory.hpp"

#include <fstream>
#include <string>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using ::testing::HasSubstr;

void execute(const std::string& file, const std::string& sql) {
  Database(file).execute(sql);
}

// The two tables of the ledger that a budget needs, as docs/semantics.md has them.
constexpr const char* tables = R"(
  CREATE TABLE arms(arm, try_number, token, scenario, trusted, reasons, repeat);
  CREATE TABLE requests(arm, try_number, request, scheduled, finished, outcome, reason,
                        class);)";

// 1 ms in the ledger's nanoseconds.
std::string request(const char* arm, int try_number, int number, int scheduled_ms, int finished_ms,
                    const char* outcome, const char* reason = "NULL") {
  const std::string finished = finished_ms < 0 ? "NULL" : std::to_string(finished_ms) + "000000";
  return "INSERT INTO requests VALUES ('" + std::string(arm) + "', " + std::to_string(try_number) +
         ", " + std::to_string(number) + ", " + std::to_string(scheduled_ms) + "000000, " +
         finished + ", '" + outcome + "', " + reason + ", 0);";
}

TEST(RunBudget, CountsEachOfferedRequestByItsOutcomeAndLatency) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("run.sqlite");
  execute(file, tables);
  execute(file, "INSERT INTO arms VALUES ('a', 0, 'x', '{}', 1, '[]', 0);" +
                    request("a", 0, 0, 0, 100, "succeeded") +      // at the threshold: good
                    request("a", 0, 1, 1000, 1050, "succeeded") +  // good
                    request("a", 0, 2, 2000, 2101, "succeeded") +  // slow
                    request("a", 0, 3, 3000, 3001, "gave_up") +    // bad, though quick
                    request("a", 0, 4, 4000, -1, "unfinished") +   // bad: no answer
                    request("a", 0, 5, 5000, 5000, "unsent"));     // not counted
  const RunBudget run = budget_of_run(directory.path(), 400'000, 100ms);
  ASSERT_EQ(run.tries.size(), 1U);
  const TryBudget& one = run.tries[0];
  EXPECT_TRUE(one.trusted);
  EXPECT_EQ(one.budget.total, 5);
  EXPECT_EQ(one.budget.good, 2);
  EXPECT_EQ(one.budget.bad, 3);
  EXPECT_EQ(one.budget.allowed_bad, 3) << "60 % of 5";
  EXPECT_EQ(one.budget.remaining, 0);
  EXPECT_EQ(one.slow, 1);
  EXPECT_EQ(one.gave_up, 1);
  EXPECT_EQ(one.unfinished, 1);
  EXPECT_EQ(one.unsent, 1);
  EXPECT_EQ(exit_code_of(run), exit_done);
  EXPECT_EQ(exit_code_of(budget_of_run(directory.path(), 500'000, 100ms)), exit_failed);
  EXPECT_EQ(budget_of_run(directory.path(), 0, 99'999'999ns).tries[0].budget.good, 1)
      << "to the nanosecond";
}

// What the machine was too short of is no fault of the service; what the client's policy kept back
// failed its users.
TEST(RunBudget, BurnsWhatAPolicyKeptBackAndLeavesOutWhatAShortageDid) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("run.sqlite");
  execute(file, tables);
  execute(file, "INSERT INTO arms VALUES ('a', 0, 'x', '{}', 1, '[]', 0);" +
                    request("a", 0, 0, 0, 100, "succeeded") +
                    request("a", 0, 1, 0, 0, "unsent", "'in_flight_limit'") +
                    request("a", 0, 2, 0, 0, "unsent", "'in_flight_limit'"));
  int number = 3;
  for (const ReasonRow& row : reasons) {
    if (unsent_kind(row.reason) != UnsentKind::shortage) continue;
    const std::string reason = "'" + std::string(row.name) + "'";
    execute(file, request("a", 0, number++, 0, 0, "unsent", reason.c_str()));
  }
  const TryBudget one = budget_of_run(directory.path(), 999'000, 100ms).tries.at(0);
  EXPECT_EQ(one.budget.total, 3);
  EXPECT_EQ(one.budget.bad, 2);
  EXPECT_EQ(one.kept_back, 2);
  EXPECT_EQ(one.unsent, 4);
  const auto json = to_json(budget_of_run(directory.path(), 999'000, 100ms)).at("tries").at(0);
  EXPECT_EQ(json.at("unsent_by_policy"), 2);
  EXPECT_EQ(json.at("unsent"), 4);
}

TEST(RunBudget, KeepsArmsAndTriesApart) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("run.sqlite");
  execute(file, tables);
  execute(
      file,
      "INSERT INTO arms VALUES ('fast', 0, 'x', '{}', 0, '[\"lag\"]', 0),"
      "('fast', 1, 'y', '{}', 1, '[]', 0), ('it''s \"slow\"', 0, 'z', '{}', NULL, NULL, NULL);" +
          request("fast", 0, 0, 0, 900, "gave_up") + request("fast", 1, 0, 0, 9, "succeeded"));
  const RunBudget run = budget_of_run(directory.path(), 999'000, 100ms);
  ASSERT_EQ(run.tries.size(), 3U);
  EXPECT_EQ(run.tries[0].budget.bad, 1);
  EXPECT_FALSE(run.tries[0].trusted);
  EXPECT_EQ(run.tries[1].budget.good, 1);
  EXPECT_TRUE(run.tries[1].trusted);
  EXPECT_EQ(run.tries[2].budget.total, 0);
  EXPECT_EQ(run.tries[2].budget.ratio, std::nullopt);
  EXPECT_EQ(exit_code_of(run), exit_untrusted) << "the slow arm has no trusted try";
  const auto json = to_json(run);
  EXPECT_EQ(json.at("tries").at(0).at("remaining"), -1);
  EXPECT_TRUE(json.at("tries").at(2).at("ratio").is_null());
  EXPECT_EQ(json.at("tries").at(1).at("try_number"), 1);
  EXPECT_EQ(json.at("tries").at(1).at("repeat"), 1) << "the name that it had";
}

TEST(RunBudget, JudgesTheTrustedTryOfAnArmThatWasRepeated) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("run.sqlite");
  execute(file, tables);
  execute(
      file,
      "INSERT INTO arms VALUES ('a', 0, 'x', '{}', 0, '[]', 0), ('a', 1, 'y', '{}', 1, '[]', 0);" +
          request("a", 0, 0, 0, 900, "gave_up") + request("a", 1, 0, 0, 9, "succeeded"));
  EXPECT_EQ(exit_code_of(budget_of_run(directory.path(), 999'000, 100ms)), exit_done);
}

TEST(RunBudget, OfAKilledRunKnowsARequestByItsAttempts) {
  const TemporaryDirectory directory;
  open_ledger(directory.file("run.sqlite"))
      .execute(
          "INSERT INTO arms VALUES ('a', 0, 'x', '{}', 0, '[]', 0);"
          "INSERT INTO attempts VALUES ('a', 0, 0, 0, 0, 5000000, 'succeeded', 200, 0, 0, NULL),"
          "('a', 0, 1, 0, 0, NULL, 'unfinished', NULL, 0, 0, NULL);" +
          request("a", 0, 2, 0, 900, "gave_up"));
  const TryBudget one = budget_of_run(directory.path(), 999'000, 100ms).tries.at(0);
  EXPECT_EQ(one.budget.total, 3);
  EXPECT_EQ(one.budget.good, 1);
  EXPECT_EQ(one.unfinished, 1);
  EXPECT_EQ(one.gave_up, 1);
}

std::string refusal(const std::string& directory) {
  try {
    budget_of_run(directory, 999'000, 100ms);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RunBudget, OfWhatIsNoRunIsRefused) {
  EXPECT_THAT(refusal("/nowhere"), HasSubstr("/nowhere: run.sqlite: is not there"));
  const TemporaryDirectory directory;
  EXPECT_THAT(refusal(directory.path()), HasSubstr("run.sqlite: is not there"));
  EXPECT_FALSE(std::ifstream(directory.file("run.sqlite"))) << "and none is made";
  execute(directory.file("run.sqlite"), "CREATE TABLE other(x);");
  EXPECT_THAT(refusal(directory.path()), HasSubstr("arms.arm: is no column there"));
  EXPECT_THAT(refusal(std::string(5000, 'x')), HasSubstr("run.sqlite: is not there"));
  const TemporaryDirectory noise;
  std::ofstream(noise.file("run.sqlite")) << std::string(5000, 'x');
  EXPECT_THAT(refusal(noise.path()), HasSubstr("run.sqlite: "));
}

TEST(RunBudget, OfTablesOfAnotherKindIsRefused) {
  const TemporaryDirectory directory;
  execute(directory.file("run.sqlite"),
          "CREATE TABLE arms(arm, repeat, trusted); CREATE TABLE requests(arm, repeat, outcome);");
  EXPECT_THAT(
      refusal(directory.path()),
      HasSubstr("run.sqlite: requests.scheduled: is no column there; it must be the ledger"));
}

TEST(RunBudget, OfARunWithoutATryIsNoBudgetThatHolds) {
  const TemporaryDirectory directory;
  execute(directory.file("run.sqlite"), tables);
  EXPECT_THAT(refusal(directory.path()), HasSubstr("run.sqlite: arms: is empty"));
}

}  // namespace
}  // namespace retrystorm
