#include "core/ledger.hpp"

#include "core/error.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace retrystorm {
namespace {

// A directory that goes away with the test.
struct TemporaryDirectory {
  std::filesystem::path path;
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "retrystorm-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
};

RequestRecord request(std::uint64_t number) {
  RequestRecord r{};
  r.request = number;
  r.outcome = RequestOutcome::succeeded;
  return r;
}

TEST(LedgerFile, WrittenThroughTheThreadReadsBackEqual) {
  TemporaryDirectory dir;
  {
    Ledger ledger(dir.path / "raw", 0xabc);
    LedgerFile* file = ledger.open(RecordKind::requests, 0, 77);
    for (std::uint64_t i = 0; i < 100'000; ++i) file->add(request(i));
  }
  const auto content = read_ledger<RequestRecord>(dir.path / "raw" / "requests-0.bin");
  EXPECT_EQ(content.header.token, 0xabcU);
  EXPECT_EQ(content.header.origin, 77);
  ASSERT_EQ(content.records.size(), 100'000U);
  for (std::uint64_t i = 0; i < 100'000; ++i) ASSERT_EQ(content.records[i].request, i);
  EXPECT_EQ(content.torn_bytes, 0U);
}

TEST(Ledger, DoesNotWriteOverRecords) {
  TemporaryDirectory dir;
  for (int start = 0; start < 2; ++start) {  // the first one ends before its first record
    Ledger ledger(dir.path, 1);
    LedgerFile* file = ledger.open(RecordKind::requests, 0, 0);
    if (start == 1) file->add(request(7));
  }
  Ledger ledger(dir.path, 2);
  EXPECT_THROW(ledger.open(RecordKind::requests, 0, 0), InvalidInput);
  EXPECT_EQ(read_ledger<RequestRecord>(dir.path / "requests-0.bin").records.size(), 1U);
}

TEST(LedgerFile, TornInItsLastRecordGivesTheWholeOnes) {
  TemporaryDirectory dir;
  const auto path = dir.path / "requests-0.bin";
  {
    Ledger ledger(dir.path, 1);
    LedgerFile* file = ledger.open(RecordKind::requests, 0, 0);
    for (std::uint64_t i = 0; i < 10; ++i) file->add(request(i));
  }
  for (std::uintmax_t cut = 1; cut < sizeof(RequestRecord); ++cut) {
    std::filesystem::resize_file(path, sizeof(RecordFileHeader) + 10 * sizeof(RequestRecord) - cut);
    const auto content = read_ledger<RequestRecord>(path);
    EXPECT_EQ(content.records.size(), 9U);
    EXPECT_EQ(content.torn_bytes, sizeof(RequestRecord) - cut);
  }
}

TEST(Ledger, KnowsTheDigestOfWhatItWrote) {
  TemporaryDirectory dir;
  Ledger ledger(dir.path, 1);
  LedgerFile* requests = ledger.open(RecordKind::requests, 3, 0);
  ledger.open(RecordKind::attempts, 3, 0);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    requests->add(request(i));
    if (i % 300 == 0) ledger.flush();
  }
  ledger.flush();
  const auto digests = ledger.digests();
  ASSERT_EQ(digests.size(), 2U);
  const auto content = read_ledger<RequestRecord>(requests->path());
  EXPECT_EQ(content.sha256, digests.at("requests-3.bin"));
  EXPECT_EQ(content.sha256, sha256_of_file(requests->path()));
  EXPECT_EQ(sha256_of_file(dir.path / "attempts-3.bin"), digests.at("attempts-3.bin"));
}

TEST(Ledger, IsWrittenIntoNoPipeAndReadFromNone) {
  TemporaryDirectory dir;
  const std::string path = dir.path / "requests-0.bin";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  Ledger ledger(dir.path, 1);
  EXPECT_THROW(ledger.open(RecordKind::requests, 0, 0), InvalidInput);
  EXPECT_THROW(read_ledger<RequestRecord>(path), InvalidInput);
}

TEST(LedgerFile, ThatIsSomethingElseIsRefusedInOneLine) {
  TemporaryDirectory dir;
  const auto path = (dir.path / "x.bin").string();
  EXPECT_THROW(read_ledger<RequestRecord>(path), InvalidInput) << "missing";
  std::ofstream(path) << "short";
  EXPECT_THROW(read_ledger<RequestRecord>(path), InvalidInput);
  std::ofstream(path) << std::string(500, 'x');
  EXPECT_THROW(read_ledger<RequestRecord>(path), InvalidInput);
  { Ledger(dir.path, 1).open(RecordKind::attempts, 0, 0); }
  EXPECT_THROW(read_ledger<RequestRecord>(dir.path / "attempts-0.bin"), InvalidInput)
      << "another kind";
  EXPECT_NO_THROW(read_ledger<AttemptRecord>(dir.path / "attempts-0.bin"));
  EXPECT_THROW(read_ledger<AttemptRecord>(dir.path.string()), InvalidInput) << "a directory";
}

TEST(Ledger, WithoutADirectoryOpensNothingAndCostsNothing) {
  Ledger ledger("", 1);
  EXPECT_EQ(ledger.open(RecordKind::requests, 0, 0), nullptr);
}

TEST(Ledger, ThatCannotBeCreatedFailsInOneLine) {
  EXPECT_THROW(Ledger("/proc/no/such/place", 1), RunFailed);
  TemporaryDirectory dir;
  std::ofstream(dir.path / "file") << "x";
  Ledger ledger(dir.path / "file", 1);  // exists, but is no directory
  EXPECT_THROW(ledger.open(RecordKind::requests, 0, 0), RunFailed);
}

TEST(Ledger, OnAFullDiskLosesWhatDoesNotFitSaysSoAndLeavesWholeRecords) {
  TemporaryDirectory dir;
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 1000;  // bytes: the stand-in for a full disk
  setrlimit(RLIMIT_FSIZE, &small);
  Ledger ledger(dir.path, 1);
  LedgerFile* file = ledger.open(RecordKind::requests, 0, 0);
  for (std::uint64_t i = 0; i < 100; ++i) file->add(request(i));
  ledger.flush();
  EXPECT_EQ(ledger.lost(), 100 - (1000 - sizeof(RecordFileHeader)) / sizeof(RequestRecord));
  EXPECT_NE(ledger.error().find("the limit for the size of a file is reached"), std::string::npos);
  setrlimit(RLIMIT_FSIZE, &before);
  file->add(request(500));  // space again: what comes now is kept
  ledger.flush();
  const auto content = read_ledger<RequestRecord>(file->path());
  EXPECT_EQ(content.records.size() + ledger.lost(), 101U);
  EXPECT_EQ(content.records.back().request, 500U);
  EXPECT_EQ(content.torn_bytes, 0U);
  EXPECT_EQ(content.sha256, ledger.digests().at("requests-0.bin")) << "of what was kept";
}

TEST(AttemptId, WrittenAndReadIsTheSame) {
  const AttemptId id{0x00ff12345678abcdULL, 18'446'744'073'709'551'615ULL, 3};
  const std::string text = format_attempt_id(id);
  EXPECT_EQ(text, "00ff12345678abcd-18446744073709551615-3");
  const auto back = parse_attempt_id(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->token, id.token);
  EXPECT_EQ(back->request, id.request);
  EXPECT_EQ(back->attempt, id.attempt);
  for (const char* bad : {"", "-", "--", "00ff12345678abcd", "00ff12345678abcd-1",
                          "00ff12345678abcd-1-", "00ff12345678abcd--1", "00ff12345678abcd-1-2-3",
                          "xyff12345678abcd-1-2", "00ff12345678abcd-18446744073709551616-1",
                          "00ff12345678abcd-1-4294967296", "ff-1-2", "00ff12345678abcd- 1-2"}) {
    EXPECT_FALSE(parse_attempt_id(bad)) << bad;
  }
}

TEST(FreshTokens, DifferAndAreNeverZero) {
  EXPECT_NE(fresh_token(), fresh_token());
  EXPECT_EQ(parse_token(format_token(0xdeadbeef)), 0xdeadbeefU);
}

TEST(Printable, MakesOneHarmlessLineOfAnyBytes) {
  EXPECT_EQ(printable("a\nb\x1b[31m"), "a\\x0ab\\x1b[31m");
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(printable("\xff\xc0\x80\xed\xa0\x80"), "\\xff\\xc0\\x80\\xed\\xa0\\x80");
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b\xd8\x9c"),
            "a\\xe2\\x80\\xaeb\\xd8\\x9c");
  EXPECT_EQ(printable(std::string(500, 'x'), 10).size(), 13U);
}

TEST(WorseExit, FollowsTheOrderOfTheDesignInterruptedUntrustedFailed) {
  EXPECT_EQ(worse_exit(0, 1), 1);
  EXPECT_EQ(worse_exit(3, 1), 3);
  EXPECT_EQ(worse_exit(3, 130), 130);
  EXPECT_EQ(worse_exit(0, 0), 0);
}

}  // namespace
}  // namespace retrystorm
