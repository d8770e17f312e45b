#include "experiments/evidence/checksums.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "tests/temporary_directory.hpp"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::HasSubstr;

class ChecksumsOfARun : public testing::Test {
 protected:
  ChecksumsOfARun() {
    make_directories(directory_.file("arms/001-a/000"));
    directory_.write("arms/001-a/000/try.json", "{}");
    directory_.write("experiment.toml", "[experiment]");
    directory_.write("report.json", "{\"a\": 1}");
    write_checksums(directory_.path());
  }
  TemporaryDirectory directory_;
};

TEST_F(ChecksumsOfARun, AreThoseThatTheUsualProgramReads) {
  const std::string check =
      "cd '" + directory_.path() + "' && sha256sum --status --strict -c SHA256SUMS";
  EXPECT_EQ(std::system(check.c_str()), 0);
  directory_.write("report.json", "{\"a\": 2}");
  EXPECT_NE(std::system(check.c_str()), 0);
}

TEST_F(ChecksumsOfARun, NameWhatIsNotWhatWasWritten) {
  directory_.write("arms/001-a/000/try.json", "{} ");
  const Checksums sums(directory_.path());
  EXPECT_EQ(sums.alteration("report.json"), "");
  EXPECT_EQ(sums.alteration("report.json", "{\"a\": 1}"), "");
  EXPECT_THAT(sums.alteration("report.json", "{\"a\": 2}"), HasSubstr("is not what the run wrote"));
  EXPECT_THAT(sums.alteration("arms/001-a/000/try.json"), HasSubstr("is not what the run wrote"));
  EXPECT_NO_THROW(sums.require("experiment.toml", "x"));
  try {
    sums.require("arms/001-a/000/try.json", "do this");
    ADD_FAILURE() << "accepted";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("arms/001-a/000/try.json: is not what the run wrote"));
    EXPECT_THAT(error.what(), HasSubstr("; do this"));
  }
}

TEST_F(ChecksumsOfARun, KnowNothingOfOtherFiles) {
  const Checksums sums(directory_.path());
  EXPECT_TRUE(sums.has("report.json"));
  EXPECT_FALSE(sums.has("report.html"));
  EXPECT_EQ(sums.alteration("report.html", "anything"), "");
}

TEST_F(ChecksumsOfARun, AreRenewedForTheFileThatWasMadeAgain) {
  directory_.write("run.sqlite", "made again");
  renew_checksum(directory_.path(), "run.sqlite");
  const Checksums sums(directory_.path());
  EXPECT_TRUE(sums.has("run.sqlite"));
  EXPECT_EQ(sums.alteration("run.sqlite"), "");
  EXPECT_EQ(sums.alteration("report.json"), "");
}

TEST_F(ChecksumsOfARun, AreNoneWhereThereIsNoList) {
  std::filesystem::remove(directory_.file("SHA256SUMS"));
  EXPECT_TRUE(Checksums(directory_.path()).empty());
  renew_checksum(directory_.path(), "report.json");
  EXPECT_FALSE(std::filesystem::exists(directory_.file("SHA256SUMS")));
}

TEST_F(ChecksumsOfARun, AreRefusedWhereTheListIsDamaged) {
  const std::string list = read_file(directory_.file("SHA256SUMS"));
  for (const std::string& bad : {std::string(), std::string("x"), list.substr(1), list + "\n"}) {
    directory_.write("SHA256SUMS", bad);
    EXPECT_THROW(Checksums(directory_.path()), InvalidInput) << bad;
  }
}

}  // namespace
}  // namespace retrystorm
