// Runs whose files were altered after the run: by a bit, or by hand. Nothing of them may be read as
// trusted with figures that were not measured.
#include "core/error.hpp"
#include "core/json.hpp"
#include "core/scenario_toml.hpp"
#include "experiments/evidence/run_budget.hpp"
#include "experiments/evidence/stored_run.hpp"
#include "experiments/report/history/history.hpp"
#include "experiments/report/stored_report.hpp"
#include "tests/experiments/evidence/flips.hpp"
#include "tests/experiments/evidence/hand_made_ledger.hpp"
#include "tests/seed.hpp"
#include "tests/temporary_directory.hpp"

#include <filesystem>
#include <random>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

constexpr const char* raw_files[] = {"attempts-0.bin", "requests-0.bin", "arrivals-0.bin"};

// A run of one second in which everything was on time, as `run` would have left it.
class AlteredRun : public testing::Test {
 protected:
  void SetUp() override {
    make_directories(raw_);
    write_whole(file("experiment.toml"),
                "[experiment]\nname = \"calm\"\n[client]\nrate = 100\nduration = \"1s\"\n");
    HandMadeLedger ledger;
    for (std::uint64_t i = 0; i < 100; ++i) {
      ledger.served(i, static_cast<std::int64_t>(i) * 10'000'000, 20'000'000);
    }
    ledger.write(raw_);
    TryNote note;
    note.key = {"calm", 0};
    note.token = HandMadeLedger::token;
    note.status = TryStatus::done;
    note.scenario.client.rate = 100;
    note.scenario.client.duration = 1s;
    note.service = note.generator = ProcessEnd{0, 0, 0.1, 0.1, 1.1};
    note.service_said = note.generator_said = {{"ledger_lost", 0}};
    note.digests = digests_of_try(raw_, {});
    write_whole(raw_ + "/try.json", pretty_json(to_json(note)));
    recover_run(run_);
    then_ = report_of_directory(run_);
  }

  std::string file(const std::string& name) const { return run_ + "/" + name; }

  // What is said of the run: nothing of it trusted, or the figures that were measured.
  void expect_no_lie(const std::string& what) {
    try {
      const Report report = report_of_directory(run_);
      if (!report.arms.at(0).trusted) return;
      EXPECT_EQ(to_json(*report.arms[0].measured), to_json(*then_.arms[0].measured)) << what;
    } catch (const InvalidInput&) {
    }
  }
  std::string refusal() {
    try {
      report_of_directory(run_);
      return {};
    } catch (const InvalidInput& error) {
      return error.what();
    }
  }

  TemporaryDirectory folder_;
  const std::string run_ = folder_.file("calm");
  const std::string raw_ = file("arms/001-calm/000");
  Report then_;
  const Seed seed_{20'260'102};
  std::mt19937_64 random_{seed_.value()};
};

TEST_F(AlteredRun, IsTrustedAsLongAsNothingWasAltered) {
  EXPECT_THAT(then_.arms.at(0).reasons, IsEmpty());
  EXPECT_TRUE(then_.arms[0].trusted);
  EXPECT_THAT(then_.notices, IsEmpty());
  EXPECT_EQ(then_.arms[0].measured->counts.succeeded, 100);
  EXPECT_EQ(report_at(file("report.json")).arms.at(0).trusted, true);
}

TEST_F(AlteredRun, IsNotTrustedWithOneBitOfALedgerTurnedOver) {
  for (const char* name : raw_files) {
    flip_bits(raw_ + "/" + name, sizeof(RecordFileHeader), 80, random_, [&](std::size_t, int) {
      const Report report = report_of_directory(run_);
      EXPECT_FALSE(report.arms.at(0).trusted);
      EXPECT_THAT(report.arms[0].reasons,
                  Contains(AllOf(HasSubstr(std::string("arms/001-calm/000/") + name),
                                 HasSubstr("is not what was written"))));
      EXPECT_EQ(to_json(*report.arms[0].measured), to_json(*then_.arms[0].measured));
    });
  }
}

// What has to be made anew, is made of what was written or not at all.
TEST_F(AlteredRun, IsNotMadeAnewFromALedgerWithOneBitTurnedOver) {
  fs::remove(file("report.json"));
  fs::remove(file("run.sqlite"));
  for (const char* name : raw_files) {
    flip_bits(raw_ + "/" + name, sizeof(RecordFileHeader), 80, random_,
              [&](std::size_t byte, int bit) {
                EXPECT_THAT(refusal(), HasSubstr(name)) << "bit " << bit << " of byte " << byte;
                EXPECT_THROW(ledger_of_directory(run_), InvalidInput);
              });
  }
  recover_run(run_);
  EXPECT_EQ(to_json(*report_of_directory(run_).arms.at(0).measured),
            to_json(*then_.arms[0].measured));
}

TEST_F(AlteredRun, SaysNothingByAReportWithOneBitTurnedOver) {
  flip_bits(file("report.json"), 0, 60, random_, [&](std::size_t, int) {
    EXPECT_THAT(refusal(), AllOf(HasSubstr("report.json"),
                                 HasSubstr("remove it to have it made again from arms/")));
  });
  EXPECT_EQ(refusal(), "");
}

TEST_F(AlteredRun, HasNoFigureChangedByHandAndPrinted) {
  const std::string whole = read_file(file("report.json"));
  for (const auto& [from, to] :
       {std::pair{"\"attempts\": 100", "\"attempts\": -5"},
        std::pair{"\"succeeded\": 100", "\"succeeded\": 99"},
        std::pair{"\"seconds\": 1", "\"seconds\": 2"}, std::pair{"\"p50\": 2", "\"p50\": 1"}}) {
    const std::size_t at = whole.find(from);
    ASSERT_NE(at, whole.npos) << from;
    overwrite(file("report.json"),
              whole.substr(0, at) + to + whole.substr(at + std::string(from).size()));
    EXPECT_THAT(refusal(), HasSubstr("report.json")) << from;
    const auto past = history_of(folder_.path(), {});
    for (const PastRun& run : past) {
      if (run.directory != "calm") continue;
      EXPECT_THAT(run.status, HasSubstr("unreadable")) << from;
      EXPECT_THAT(run.arms, IsEmpty());
    }
  }
}

// Without a digest the books still have to balance.
TEST_F(AlteredRun, WithoutDigestsIsRefusedWhereItsBooksDoNotBalance) {
  fs::remove(file("SHA256SUMS"));
  EXPECT_THAT(report_of_directory(run_).notices,
              ElementsAre(HasSubstr("no digests were kept of this run")));
  const std::string whole = read_file(file("report.json"));
  const std::size_t at = whole.find("\"attempts\": 100");
  overwrite(file("report.json"), whole.substr(0, at) + "\"attempts\": -5" + whole.substr(at + 15));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("report.json: arm 'calm'"), HasSubstr("broken identity")));
  EXPECT_THROW(report_at(file("report.json")), InvalidInput);
}

TEST_F(AlteredRun, IsNotTracedOrBudgetedByADatabaseThatWasAltered) {
  flip_bits(file("run.sqlite"), 0, 40, random_, [&](std::size_t, int) {
    try {
      ledger_of_directory(run_);
      ADD_FAILURE() << "opened";
    } catch (const InvalidInput& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("run.sqlite: is not what the run wrote"),
                                      HasSubstr("remove it to import again from arms/")));
    }
  });
  {
    Database edited = open_ledger(file("run.sqlite"));
    edited.execute("UPDATE requests SET finished = finished - 1000 WHERE request = 7");
  }
  EXPECT_THROW(budget_of_run(run_, 999'000, 100ms), InvalidInput);
  const Report report = report_of_directory(run_);
  EXPECT_THAT(report.notices, ElementsAre(HasSubstr("run.sqlite is not what the run wrote")));
  EXPECT_TRUE(report.arms[0].trusted) << "its figures do not come from there";
  fs::remove(file("report.json"));
  EXPECT_THROW(recover_run(run_), InvalidInput) << "they would now";
  EXPECT_FALSE(fs::exists(file("report.json")));
  // The remedy that is named helps.
  fs::remove(file("run.sqlite"));
  recover_run(run_);
  EXPECT_TRUE(report_of_directory(run_).arms[0].trusted);
  EXPECT_EQ(budget_of_run(run_, 999'000, 100ms).tries.size(), 1U);
}

TEST_F(AlteredRun, IsVouchedForAgainWhenItsDatabaseWasMadeAgain) {
  fs::remove(file("run.sqlite"));
  recover_run(run_);
  EXPECT_THAT(report_of_directory(run_).notices, IsEmpty());
  EXPECT_TRUE(ledger_of_directory(run_));
}

// A wider limit in the note would make a late run trusted.
TEST_F(AlteredRun, IsNotJudgedByANoteThatWasAltered) {
  const std::string note = read_file(raw_ + "/try.json");
  const std::size_t at = note.find("\"send_lag_p99_ms\": 1");
  ASSERT_NE(at, note.npos);
  overwrite(raw_ + "/try.json",
            note.substr(0, at) + "\"send_lag_p99_ms\": 9" + note.substr(at + 20));
  EXPECT_FALSE(report_of_directory(run_).arms.at(0).trusted);
  fs::remove(file("report.json"));
  EXPECT_THAT(refusal(), HasSubstr("try.json: is not what the run wrote"));
  EXPECT_THROW(recover_run(run_), InvalidInput);
}

// A run that was killed has no SHA256SUMS; its tries that were over have digests all the same.
TEST_F(AlteredRun, ThatWasKilledIsReadFromItsRawFilesAgain) {
  fs::remove(file("report.json"));
  fs::remove(file("SHA256SUMS"));
  {
    Database edited = open_ledger(file("run.sqlite"));
    edited.execute("UPDATE attempts SET ended = ended + 7000000");
  }
  recover_run(run_);
  EXPECT_EQ(to_json(*report_of_directory(run_).arms.at(0).measured),
            to_json(*then_.arms[0].measured));
}

TEST_F(AlteredRun, ThatLostItsRawFilesKeepsItsReport) {
  for (const char* name : raw_files) fs::remove(raw_ + "/" + name);
  const Report report = report_of_directory(run_);
  EXPECT_TRUE(report.arms.at(0).trusted);
  EXPECT_EQ(to_json(*report.arms[0].measured), to_json(*then_.arms[0].measured));
}

TEST_F(AlteredRun, WithAnyBitOfAnyFileTurnedOverTellsNoLie) {
  for (const char* name : {"report.json", "run.sqlite", "experiment.toml", "SHA256SUMS",
                           "arms/001-calm/000/try.json"}) {
    flip_bits(file(name), 0, 15, random_, [&](std::size_t byte, int bit) {
      expect_no_lie(std::string(name) + " byte " + std::to_string(byte) + " bit " +
                    std::to_string(bit));
    });
  }
}

TEST_F(AlteredRun, WhoseReportIsALinkToItselfIsRefused) {
  fs::remove(file("report.json"));
  fs::create_symlink(file("report.json"), file("report.json"));
  EXPECT_NO_THROW(recover_run(run_));
  EXPECT_THAT(refusal(), HasSubstr("report.json: cannot be read"));
}

}  // namespace
}  // namespace retrystorm
