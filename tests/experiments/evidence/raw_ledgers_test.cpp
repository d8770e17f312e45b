#include "experiments/evidence/raw_ledgers.hpp"

#include "core/error.hpp"
#include "tests/experiments/evidence/flips.hpp"
#include "tests/experiments/evidence/hand_made_ledger.hpp"
#include "tests/seed.hpp"
#include "tests/temporary_directory.hpp"

#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* files[] = {"attempts-0.bin", "requests-0.bin", "arrivals-0.bin"};

class RawLedgerFiles : public testing::Test {
 protected:
  RawLedgerFiles() {
    for (std::int64_t i = 0; i < 20; ++i) {
      ledger_.served(static_cast<std::uint64_t>(i), i * 1'000'000, 20'000'000);
    }
    ledger_.write(directory_.path());
    digests_ = digests_of_try(directory_.path(), {});
  }
  RawLedgers read(const LedgerDigests& digests) {
    return read_raw_ledgers(directory_.path(), HandMadeLedger::token, Scenario{}, digests);
  }
  // Why they cannot be read; empty if they can.
  std::string refusal(const LedgerDigests& digests) {
    try {
      read(digests);
      return {};
    } catch (const InvalidInput& error) {
      return error.what();
    }
  }

  TemporaryDirectory directory_;
  HandMadeLedger ledger_;
  LedgerDigests digests_;
  const Seed seed_{20'260'101};
  std::mt19937_64 random_{seed_.value()};
};

TEST_F(RawLedgerFiles, AreReadWhereTheyAreWhatWasWritten) {
  const RawLedgers raw = read(digests_);
  EXPECT_EQ(raw.attempts.at(0).records.size(), 20U);
  EXPECT_EQ(raw.origin, HandMadeLedger::origin);
  EXPECT_THAT(raw.gaps, IsEmpty());
  EXPECT_THAT(altered_ledgers(directory_.path(), digests_), IsEmpty());
}

TEST_F(RawLedgerFiles, AreReadByNoOneWithASingleBitTurnedOver) {
  for (const char* name : files) {
    const std::string path = directory_.file(name);
    flip_bits(path, 0, 80, random_, [&](std::size_t byte, int bit) {
      EXPECT_THAT(refusal(digests_), HasSubstr(name)) << "bit " << bit << " of byte " << byte;
      EXPECT_EQ(altered_ledgers(directory_.path(), digests_).size(), 1U);
    });
  }
  EXPECT_EQ(refusal(digests_), "") << "whole again";
}

// A run of earlier versions, or the try in which a run was killed.
TEST_F(RawLedgerFiles, WithoutDigestsGiveNoDurationThatCannotBe) {
  constexpr std::int64_t longest = 3'600'000'000'000;
  int refused = 0;
  for (const char* name : files) {
    flip_bits(directory_.file(name), sizeof(RecordFileHeader), 80, random_,
              [&](std::size_t byte, int bit) {
                if (!refusal({}).empty()) {
                  ++refused;
                  return;
                }
                const RawLedgers raw = read({});
                for (const AttemptRecord& r : raw.attempts.at(0).records) {
                  if (r.outcome == AttemptOutcome::unfinished) continue;
                  EXPECT_GE(r.ended - r.sent, 0) << name << ' ' << byte << ' ' << bit;
                  EXPECT_LT(r.ended - raw.origin, longest) << name << ' ' << byte << ' ' << bit;
                }
                for (const RequestRecord& r : raw.requests.at(0).records) {
                  if (r.outcome == RequestOutcome::unfinished) continue;
                  EXPECT_GE(r.finished - r.scheduled, 0) << name << ' ' << byte << ' ' << bit;
                  EXPECT_LT(r.finished - raw.origin, longest) << name << ' ' << byte << ' ' << bit;
                }
              });
  }
  EXPECT_GT(refused, 20) << "the high bits of the instants";
}

TEST_F(RawLedgerFiles, OfWhichOneIsGoneSayWhich) {
  ledger_.attempts.resize(1);
  HandMadeLedger::write_file(directory_.file("attempts-1.bin"), ledger_.attempts,
                             HandMadeLedger::origin);
  digests_ = digests_of_try(directory_.path(), {});
  std::filesystem::remove(directory_.file("attempts-1.bin"));
  std::filesystem::remove(directory_.file("arrivals-0.bin"));
  EXPECT_THAT(read(digests_).gaps,
              ElementsAre("attempts-1.bin: missing", "arrivals file: missing"));
  EXPECT_THAT(altered_ledgers(directory_.path(), digests_), IsEmpty()) << "gone, not altered";
}

TEST_F(RawLedgerFiles, DoNotTakeInOneThatTheTryDoesNotKnow) {
  HandMadeLedger::write_file(directory_.file("attempts-7.bin"), ledger_.attempts,
                             HandMadeLedger::origin);
  EXPECT_THAT(refusal(digests_), HasSubstr("attempts-7.bin: is no file of this try"));
}

TEST_F(RawLedgerFiles, KeepTheDigestThatTheirWriterTold) {
  LedgerDigests told{{"attempts-0.bin", std::string(64, '0')}};
  EXPECT_THAT(refusal(digests_of_try(directory_.path(), told)),
              HasSubstr("attempts-0.bin: is not what was written: its SHA-256 is"));
}

TEST_F(RawLedgerFiles, ThatDisagreeOnTheBeginningAreRefused) {
  HandMadeLedger::write_file(directory_.file("requests-0.bin"), ledger_.requests,
                             HandMadeLedger::origin - 1);
  EXPECT_THAT(refusal({}), HasSubstr("disagree on when the run began"));
}

TEST_F(RawLedgerFiles, NameTheRecordThatCannotBe) {
  ledger_.attempts[3].ended = ledger_.attempts[3].sent - 1;
  ledger_.write(directory_.path());
  EXPECT_THAT(refusal({}),
              HasSubstr("attempts-0.bin: record 3: is damaged: ended before it was sent"));
}

}  // namespace
}  // namespace retrystorm
