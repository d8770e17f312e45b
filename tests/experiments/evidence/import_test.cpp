#include "experiments/evidence/import.hpp"

#include "core/error.hpp"
#include "tests/alike_classes.hpp"
#include "tests/experiments/evidence/hand_made_ledger.hpp"
#include "tests/temporary_directory.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class Import : public testing::Test {
 protected:
  Imported import() {
    return import_ledgers(database_, key_, HandMadeLedger::token, Scenario{}, directory_.path());
  }
  std::string query(const std::string& sql) {
    Statement statement(database_, sql);
    std::string text;
    const Column value = statement.only_column();
    while (statement.step()) {
      if (!text.empty()) text += ";";
      text += value.is_null() ? "null" : value.text();
    }
    return text;
  }

  TemporaryDirectory directory_;
  Database database_ = open_ledger(directory_.file("run.sqlite"));
  TryKey key_{"arm", 0};
  HandMadeLedger ledger_;
};

TEST_F(Import, MakesTimesRelativeToTheScheduleStart) {
  ledger_.served(0, 250, 1000);
  ledger_.write(directory_.path());
  const Imported imported = import();
  EXPECT_EQ(imported.attempts, 1U);
  EXPECT_EQ(imported.requests, 1U);
  EXPECT_EQ(imported.arrivals, 1U);
  EXPECT_THAT(imported.gaps, IsEmpty());
  EXPECT_EQ(query("select scheduled || ' ' || finished from requests"), "250 1250");
  EXPECT_EQ(query("select sent || ' ' || ended || ' ' || status from attempts"), "250 1250 200");
  EXPECT_EQ(query("select arrived || ' ' || picked || ' ' || due || ' ' || replied from arrivals"),
            "250 250 1250 1250");
  EXPECT_EQ(query("select token from arms"), "0123456789abcdef");
  EXPECT_EQ(query("select json_extract(scenario, '$.client.rate') from arms"), "1000");
}

TEST_F(Import, WritesWhatIsNotKnownAsNull) {
  ledger_.request(0, RequestOutcome::unfinished);
  ledger_.attempt(0, 0, AttemptOutcome::unfinished);
  ledger_.arrival(0, 0, Disposition::refused);
  ledger_.arrivals.back().replied = 0;
  ledger_.write(directory_.path());
  import();
  EXPECT_EQ(query("select finished from requests"), "null");
  EXPECT_EQ(query("select reason from requests"), "null");
  EXPECT_EQ(query("select ended from attempts"), "null");
  EXPECT_EQ(query("select status from attempts"), "null");
  EXPECT_EQ(query("select coalesce(picked, started, due, finished, replied) from arrivals"),
            "null");
  EXPECT_EQ(query("select reason from arrivals"), "queue_full");
}

TEST_F(Import, HasExactlyTheTablesOfTheSemantics) {
  const auto columns = [&](const std::string& table) {
    return query("select group_concat(name, ' ') from pragma_table_info('" + table + "')");
  };
  EXPECT_EQ(query("select name from sqlite_master where type = 'table' order by name"),
            "arms;arrivals;attempts;requests");
  EXPECT_EQ(columns("arms"), "arm try_number token scenario trusted reasons repeat");
  EXPECT_EQ(columns("requests"), "arm try_number request scheduled finished outcome reason class");
  EXPECT_EQ(columns("attempts"),
            "arm try_number request attempt sent ended outcome status reused class reason");
  EXPECT_EQ(
      columns("arrivals"),
      "arm try_number request attempt arrived picked started due finished replied disposition "
      "reason seen_gone");
}

TEST_F(Import, KeepsWhyAnAttemptFailed) {
  ledger_.request(0, RequestOutcome::gave_up);
  ledger_.attempt(0, 0, AttemptOutcome::io_error).reason = Reason::long_header;
  ledger_.attempt(0, 1, AttemptOutcome::connect_error).reason = Reason::connection_refused;
  ledger_.attempt(0, 2, AttemptOutcome::timed_out);
  ledger_.write(directory_.path());
  import();
  EXPECT_EQ(query("select coalesce(reason, '-') from attempts order by attempt"),
            "long_header;connection_refused;-");
}

TEST_F(Import, KeepsTheClassOfTheClient) {
  ledger_.request(0, RequestOutcome::gave_up).client_class = 1;
  ledger_.attempt(0, 0, AttemptOutcome::timed_out).client_class = 1;
  ledger_.write(directory_.path());
  try {
    import();  // of one class
    ADD_FAILURE() << "imported";
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "ledger: class: damaged: no class 1");
  }
  import_ledgers(database_, key_, HandMadeLedger::token, in_classes({}, {1, 1}), directory_.path());
  EXPECT_EQ(query("select class from requests union all select class from attempts"), "1;1");
  EXPECT_EQ(query("select json_extract(scenario, '$.class[1].share') from arms"), "1");
}

TEST_F(Import, LeavesAStrangerWithoutAnId) {
  ledger_.arrival(7, 0, Disposition::completed).token = 0;
  ledger_.arrival(8, 0, Disposition::completed).token = 42;  // of another run
  ledger_.write(directory_.path());
  import();
  EXPECT_EQ(query("select request from arrivals"), "null;null");
  EXPECT_EQ(query("select attempt from arrivals"), "null;null");
}

TEST_F(Import, AppliesALaterWordToItsArrival) {
  ledger_.arrival(1, 0, Disposition::completed);
  ledger_.arrival(2, 0, Disposition::completed);
  auto& later = ledger_.arrival(2, 0, Disposition::completed);
  later.amends = 1;
  later.seen_gone = SeenGone::later;
  auto& unknown = ledger_.arrival(3, 0, Disposition::completed);
  unknown.amends = 1;
  unknown.seen_gone = SeenGone::later;
  ledger_.write(directory_.path());
  const Imported imported = import();
  EXPECT_EQ(query("select seen_gone from arrivals order by request"), "no;later");
  EXPECT_EQ(imported.arrivals, 2U);
  EXPECT_EQ(imported.amendments_lost, 1U);
}

TEST_F(Import, TakesTheFilesOfAllThreads) {
  ledger_.served(0, 0, 10);
  ledger_.write(directory_.path());
  ledger_.attempts[0].request = 1;
  HandMadeLedger::write_file(directory_.file("attempts-1.bin"), ledger_.attempts,
                             HandMadeLedger::origin);
  import();
  EXPECT_EQ(query("select request from attempts order by request"), "0;1");
}

TEST_F(Import, KeepsTheWholeRecordsOfATornFile) {
  ledger_.served(0, 0, 10);
  ledger_.served(1, 5, 10);
  ledger_.write(directory_.path());
  std::filesystem::resize_file(directory_.file("attempts-0.bin"),
                               sizeof(RecordFileHeader) + sizeof(AttemptRecord) + 7);
  const Imported imported = import();
  EXPECT_EQ(imported.attempts, 1U);
  EXPECT_THAT(imported.gaps, ElementsAre("attempts file: last record torn"));
}

TEST_F(Import, TellsOfMissingAndHeadlessFiles) {
  ledger_.served(0, 0, 10);
  ledger_.write(directory_.path());
  std::filesystem::remove(directory_.file("requests-0.bin"));
  std::filesystem::resize_file(directory_.file("attempts-0.bin"), 10);
  const Imported imported = import();
  EXPECT_THAT(imported.gaps,
              UnorderedElementsAre("attempts file: header torn", "requests file: missing"));
  EXPECT_EQ(query("select arrived from arrivals"), "0") << "times from the first arrival instead";
}

TEST_F(Import, RefusesTheLedgerOfAnotherRun) {
  ledger_.write(directory_.path());
  try {
    import_ledgers(database_, key_, 99, Scenario{}, directory_.path());
    FAIL() << "accepted";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("another run"));
  }
}

TEST_F(Import, RefusesAFileThatIsNoLedger) {
  ledger_.write(directory_.path());
  directory_.write("arrivals-0.bin", std::string(100, 'x'));
  EXPECT_THROW(import(), InvalidInput);
}

TEST_F(Import, IsAllOrNothing) {
  ledger_.served(0, 0, 10);
  ledger_.served(1, 0, 10);
  ledger_.attempts.back().outcome = static_cast<AttemptOutcome>(77);  // a damaged byte
  ledger_.write(directory_.path());
  EXPECT_THROW(import(), InvalidInput);
  EXPECT_FALSE(is_imported(database_, key_));
  EXPECT_EQ(query("select count(*) from attempts"), "0");
  EXPECT_EQ(query("select count(*) from requests"), "0");
}

TEST_F(Import, KeepsTriesApart) {
  ledger_.served(0, 0, 10);
  ledger_.write(directory_.path());
  import();
  key_.try_number = 1;
  EXPECT_FALSE(is_imported(database_, key_));
  import();
  EXPECT_EQ(query("select try_number from attempts order by try_number"), "0;1");
  EXPECT_TRUE(is_imported(database_, key_));
}

}  // namespace
}  // namespace retrystorm
