#include "experiments/evidence/run_directory.hpp"

#include "core/error.hpp"
#include "core/scenario_toml.hpp"
#include "tests/temporary_directory.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::MatchesRegex;

TEST(RunDirectory, IsMadeWithItsParents) {
  const TemporaryDirectory root;
  const auto run = RunDirectory::create(root.file("a/b"));
  EXPECT_TRUE(std::filesystem::is_directory(run.path()));
}

TEST(RunDirectory, RefusesOneThatHoldsSomething) {
  const TemporaryDirectory root;
  root.write("precious", "x");
  EXPECT_THROW(RunDirectory::create(root.path()), InvalidInput);
  EXPECT_THROW(RunDirectory::create(root.file("precious")), InvalidInput);
}

TEST(RunDirectory, RefusesANameThatTurnsTheDirection) {
  const TemporaryDirectory root;
  EXPECT_THROW(RunDirectory::create(root.file("a\xe2\x80\xae"
                                              "b")),
               InvalidInput);
  EXPECT_TRUE(std::filesystem::is_empty(root.path()));
}

TEST(RunDirectory, BelongsToOneRunAtATime) {
  const TemporaryDirectory root;
  {
    const auto run = RunDirectory::create(root.path());
    EXPECT_THROW(RunDirectory::open(root.path()), InvalidInput);
  }
  EXPECT_NO_THROW(RunDirectory::open(root.path()));
}

TEST(RunDirectory, NamesTriesByArmAndRepeat) {
  const TemporaryDirectory root;
  const auto run = RunDirectory::create(root.path());
  EXPECT_EQ(run.try_directory(2, {"rate=1200 ../x", 1}), root.file("arms/003-rate=1200-..-x/001"));
}

TEST(RunDirectory, AFreshPathNamesExperimentAndTime) {
  EXPECT_THAT(fresh_run_path("collapse"), MatchesRegex("results/collapse-[0-9]{8}T[0-9]{6}Z"));
}

}  // namespace
}  // namespace retrystorm
