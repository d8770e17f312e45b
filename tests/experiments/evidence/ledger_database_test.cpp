#include "experiments/evidence/ledger_database.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "tests/experiments/evidence/old_run.hpp"
#include "tests/temporary_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// The rows of a query with one column.
std::vector<std::string> rows(Database& database, const std::string& sql) {
  Statement statement(database, sql);
  const Column value = statement.only_column();
  std::vector<std::string> texts;
  while (statement.step()) texts.push_back(value.is_null() ? "null" : value.text());
  return texts;
}

template <typename Open>
std::string refusal(Open open, const std::string& path) {
  try {
    open(path);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LedgerDatabase, RefusesAFileThatIsNoDatabase) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("run.sqlite", std::string(5000, 'x'));
  EXPECT_THAT(refusal(open_ledger, path), HasSubstr("run.sqlite"));
  EXPECT_THAT(refusal(open_ledger_to_read, path), HasSubstr("run.sqlite"));
}

TEST(LedgerDatabase, IsMadeInTheFourthVersion) {
  const TemporaryDirectory directory;
  Database made = open_ledger(directory.file("run.sqlite"));
  EXPECT_THAT(rows(made, "PRAGMA user_version"), ElementsAre("4"));
}

TEST(LedgerDatabase, OfALaterVersionIsRefusedAndLeftAsItIs) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("run.sqlite");
  open_ledger(path).execute("PRAGMA user_version = 5");
  const std::string before = read_file(path);
  for (const auto& open : {open_ledger, open_ledger_to_read}) {
    EXPECT_THAT(refusal(open, path),
                HasSubstr("run.sqlite: user_version: is 5; this program knows ledgers up to "));
  }
  EXPECT_EQ(read_file(path), before);
}

TEST(LedgerDatabase, HasTheColumnsOfTheFirstVersionInViews) {
  const TemporaryDirectory directory;
  Database ledger = open_ledger(directory.file("run.sqlite"));
  ledger.execute(
      "INSERT INTO arms (arm, try_number, repeat, token, scenario) VALUES ('a', 3, 1, 'x', '{}');"
      "INSERT INTO requests (arm, try_number, request, scheduled, outcome) "
      "VALUES ('a', 3, 0, 0, 'unfinished');"
      "INSERT INTO attempts (arm, try_number, request, attempt, sent, outcome, reused) "
      "VALUES ('a', 3, 0, 0, 0, 'unfinished', 0);"
      "INSERT INTO arrivals (arm, try_number, request, attempt, arrived, disposition, seen_gone) "
      "VALUES ('a', 3, 0, 0, 0, 'unfinished', 'no');");
  for (const std::string table : {"arms", "requests", "attempts", "arrivals", "both_sides",
                                  "exchanges", "reconciliation", "request_ends"}) {
    EXPECT_THAT(rows(ledger, "SELECT repeat FROM " + table + "_v1"), ElementsAre("3")) << table;
    std::vector<std::string> old = columns_of(ledger, table);
    std::erase(old, "repeat");
    std::erase(old, "class");
    std::erase(old, "service_reason");
    if (table == "attempts") std::erase(old, "reason");
    std::replace(old.begin(), old.end(), std::string("try_number"), std::string("repeat"));
    EXPECT_EQ(columns_of(ledger, table + "_v1"), old);
  }
}

// Two repeats, the first tried twice because its first try was not trusted; each try abandoned one
// more than the try before, and a stranger's request was completed too.
TEST(LedgerDatabase, CountsAbandonedCompletionsOfTheTrustedTryOfEachRepeat) {
  const TemporaryDirectory directory;
  Database ledger = open_ledger(directory.file("run.sqlite"));
  for (const int number : {0, 1, 2, 3}) {
    const std::string n = std::to_string(number);
    const std::string verdict = number == 0   ? "0, 0"
                                : number == 3 ? "NULL, NULL"
                                              : "1, " + n + " - 1";
    ledger.execute(
        "INSERT INTO arms (arm, try_number, trusted, repeat, token, scenario) VALUES ('a', " + n +
        ", " + verdict +
        ", 'x', '{}');"
        "INSERT INTO arrivals (arm, try_number, request, arrived, disposition, seen_gone) "
        "VALUES ('a', " +
        n + ", NULL, 0, 'completed', 'no');");
    for (int request = 0; request <= number + 2; ++request) {
      const std::string id = "'a', " + n + ", " + std::to_string(request);
      ledger.execute(
          "INSERT INTO attempts (arm, try_number, request, attempt, sent, outcome, reused) VALUES "
          "(" +
          id + (request <= number ? ", 0, 0, 'timed_out', 0);" : ", 0, 0, 'succeeded', 0);") +
          "INSERT INTO arrivals (arm, try_number, request, attempt, arrived, disposition, "
          "seen_gone) "
          "VALUES (" +
          id + ", 0, 0, 'completed', 'no');");
    }
  }
  EXPECT_THAT(rows(ledger,
                   "SELECT repeat || ': ' || abandoned || ' of ' || completed "
                   "FROM abandoned_completions ORDER BY repeat"),
              ElementsAre("0: 2 of 4", "1: 3 of 5"));
}

// `sqlite3 run.sqlite .dump` does not write the version.
TEST(LedgerDatabase, IsKnownByItsColumnsWhereItsVersionIsLost) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("run.sqlite");
  open_ledger(path).execute(
      "INSERT INTO arms (arm, try_number, repeat, token, scenario) VALUES ('a', 3, 1, 'x', '{}');"
      "PRAGMA user_version = 0");
  Database read = open_ledger_to_read(path);
  EXPECT_THAT(rows(read, "SELECT try_number || ' ' || repeat FROM arms"), ElementsAre("3 1"));
  Database written = open_ledger(path);
  EXPECT_THAT(rows(written, "SELECT try_number || ' ' || repeat FROM arms"), ElementsAre("3 1"));
  EXPECT_THAT(rows(written, "PRAGMA user_version"), ElementsAre("4"));
}

// What SIGKILL leaves of a transaction that had begun to write.
TEST(LedgerDatabase, WithAChangeHalfMadeSaysWhatCompletesIt) {
  const TemporaryDirectory directory;
  const std::string left = directory.file("left.sqlite");
  {
    const std::string path = directory.file("run.sqlite");
    Database ledger = open_ledger(path);
    ledger.execute("PRAGMA cache_size = 1");
    Transaction transaction(ledger);
    Statement insert(ledger,
                     "INSERT INTO requests (arm, try_number, request, scheduled, outcome) "
                     "VALUES ('a', 0, ?, 0, 'unfinished')");
    for (int i = 0; i < 3000; ++i) insert.run(i);
    std::filesystem::copy_file(path, left);
    std::filesystem::copy_file(path + "-journal", left + "-journal");
  }
  EXPECT_THAT(refusal(open_ledger_to_read, left), HasSubstr("left.sqlite: whoever wrote it last"));
  Database completed = open_ledger(left);
  EXPECT_THAT(rows(completed, "SELECT count(*) FROM requests"), ElementsAre("0"));
}

class LedgerOfTheFirstVersion : public testing::Test {
 protected:
  std::vector<std::string> counts(Database& database) {
    return rows(database,
                "SELECT arm || ' ' || try_number || ' ' || kind || ' ' || count FROM "
                "reconciliation ORDER BY 1");
  }

  OldRuns runs_;
  std::string path_ = runs_.repeated() + "/run.sqlite";
};

TEST_F(LedgerOfTheFirstVersion, IsReadByTheNamesOfTodayWithoutAByteWritten) {
  const std::string before = read_file(path_);
  {
    Database ledger = open_ledger_to_read(path_);
    EXPECT_THAT(rows(ledger, "SELECT try_number FROM arms WHERE arm = 'retries=0' ORDER BY rowid"),
                ElementsAre("0", "1", "2", "3"));
    EXPECT_THAT(rows(ledger, "SELECT DISTINCT repeat FROM arms"), ElementsAre("null"));
    EXPECT_THAT(rows(ledger, "SELECT count(*) FROM requests WHERE try_number = 1"),
                ElementsAre("90"));
    EXPECT_THAT(counts(ledger), Contains(HasSubstr("retries=2 1 abandoned ")));
    EXPECT_THAT(rows(ledger, "SELECT count(DISTINCT repeat) FROM exchanges_v1"), ElementsAre("4"));
  }
  EXPECT_EQ(read_file(path_), before);
}

TEST_F(LedgerOfTheFirstVersion, IsBroughtToThisOneWhereItIsWritten) {
  Database read = open_ledger_to_read(path_);
  const std::vector<std::string> before = counts(read);
  Database written = open_ledger(path_);
  EXPECT_THAT(rows(written, "PRAGMA user_version"), ElementsAre("4"));
  EXPECT_EQ(counts(written), before);
  const TemporaryDirectory directory;
  Database made = open_ledger(directory.file("run.sqlite"));
  const std::string all = "SELECT type || ' ' || name FROM sqlite_master ORDER BY 1";
  EXPECT_EQ(rows(written, all), rows(made, all));
  for (const std::string& table :
       rows(made, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")) {
    EXPECT_EQ(columns_of(written, table), columns_of(made, table));
  }
  Database again = open_ledger(path_);
  EXPECT_EQ(counts(again), before);
}

TEST_F(LedgerOfTheFirstVersion, StaysAsItIsWhereItIsDamaged) {
  Database(path_).execute("DROP VIEW reconciliation; DROP TABLE attempts");
  const std::string before = read_file(path_);
  EXPECT_THAT(refusal(open_ledger, path_), HasSubstr("no such table: attempts"));
  EXPECT_EQ(read_file(path_), before);
  Database ledger = open_ledger_to_read(path_);
  EXPECT_THAT(columns_of(ledger, "requests"), Contains("try_number"));
  EXPECT_THAT(columns_of(ledger, "attempts"), Not(Contains("try_number")));
}

// The second version: this one without classes of clients, and without reasons of attempts.
class LedgerOfTheSecondVersion : public testing::Test {
 protected:
  LedgerOfTheSecondVersion() {
    open_ledger(path_).execute(
        "INSERT INTO arms (arm, try_number, repeat, token, scenario) VALUES ('a', 3, 1, 'x', '{}');"
        "INSERT INTO requests (arm, try_number, request, scheduled, outcome) "
        "VALUES ('a', 3, 7, 0, 'unfinished');"
        "INSERT INTO attempts (arm, try_number, request, attempt, sent, outcome, reused) "
        "VALUES ('a', 3, 7, 0, 0, 'unfinished', 0);"
        "ALTER TABLE requests DROP COLUMN class; ALTER TABLE attempts DROP COLUMN class;"
        "ALTER TABLE attempts DROP COLUMN reason;"
        "PRAGMA user_version = 2");
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("run.sqlite");
  const std::string both_ =
      "SELECT t.request || ' ' || r.class || ' ' || t.class FROM requests r JOIN attempts t "
      "USING (arm, try_number, request)";
};

TEST_F(LedgerOfTheSecondVersion, IsReadAsOfOneClassWithoutAByteWritten) {
  const std::string before = read_file(path_);
  {
    Database ledger = open_ledger_to_read(path_);
    EXPECT_THAT(rows(ledger, both_), ElementsAre("7 0 0"));
    EXPECT_THAT(rows(ledger, "SELECT repeat FROM arms"), ElementsAre("1"));
    EXPECT_THAT(rows(ledger, "SELECT kind FROM exchanges"), ElementsAre("never_seen_unfinished"));
    EXPECT_THAT(rows(ledger, "SELECT repeat FROM requests_v1"), ElementsAre("3"));
  }
  EXPECT_EQ(read_file(path_), before);
}

TEST_F(LedgerOfTheSecondVersion, IsBroughtToThisOneWhereItIsWritten) {
  Database written = open_ledger(path_);
  EXPECT_THAT(rows(written, "PRAGMA user_version"), ElementsAre("4"));
  EXPECT_THAT(rows(written, both_), ElementsAre("7 0 0"));
  Database made = open_ledger(directory_.file("made.sqlite"));
  for (const std::string& table :
       rows(made, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")) {
    EXPECT_EQ(columns_of(written, table), columns_of(made, table));
  }
}

TEST(Statement, FindsItsColumnsByTheirNames) {
  Database database(":memory:");
  Statement row(database, "SELECT 1 AS one, NULL AS none, 1.5 AS number, 'x' AS text, 2 AS one");
  ASSERT_TRUE(row.step());
  EXPECT_TRUE(row["none"].is_null());
  EXPECT_FALSE(row["none"].optional_integer().has_value());
  EXPECT_EQ(row["number"].number(), 1.5);
  EXPECT_EQ(row["text"].text(), "x");
  EXPECT_THROW(row["one"], std::logic_error) << "which?";
  EXPECT_THROW(row["two"], std::logic_error);
  EXPECT_THROW(row.only_column(), std::logic_error);
}

}  // namespace
}  // namespace retrystorm
