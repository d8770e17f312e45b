#include "experiments/evidence/kept_recordings.hpp"

#include "core/files.hpp"
#include "experiments/evidence/checksums.hpp"
#include "tests/temporary_directory.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* two_recordings =
    "[service]\nrecorded_work = 'sub/work'\n"
    "[matrix]\n'client.recorded' = ['a.log:2', 'b c.txt:ms', 'a.log:2:first']\n";

class KeptRecordings : public testing::Test {
 protected:
  KeptRecordings() {
    std::filesystem::create_directories(directory_.file("sub"));
    std::filesystem::create_directories(directory_.file("run"));
    directory_.write("sub/work", "20ms 2\n30ms\n");
    directory_.write("a.log", "10.0.0.1 1 secret\n10.0.0.2 2 secret\n");
    directory_.write("b c.txt", "0\n5\n");
    experiment_ = experiment_from_file(directory_.write("e.toml", two_recordings));
    arms_ = arms_of(experiment_, "test");
    kept_ = keep_recordings(experiment_, arms_, run());
  }
  std::string run() const { return directory_.file("run"); }

  TemporaryDirectory directory_;
  Experiment experiment_;
  std::vector<Arm> arms_;
  Experiment kept_;
};

TEST_F(KeptRecordings, AreTheSameLoadWithoutTheOriginals) {
  const std::string text = experiment_to_toml(kept_);
  const std::string moved = directory_.file("moved");
  std::filesystem::rename(run(), moved);
  write_whole(moved + "/experiment.toml", text);
  for (const char* original : {"sub/work", "a.log", "b c.txt"}) {
    std::filesystem::remove(directory_.file(original));
  }
  const auto again = arms_of(experiment_from_file(moved + "/experiment.toml"), "test");
  ASSERT_EQ(again.size(), arms_.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    const Scenario& before = arms_[i].scenario;
    const Scenario& after = again[i].scenario;
    EXPECT_EQ(*after.client.recorded.values, *before.client.recorded.values);
    EXPECT_EQ(after.client.duration, before.client.duration);
    EXPECT_EQ(after.service.recorded_work.values->times,
              before.service.recorded_work.values->times);
    EXPECT_EQ(after.service.work, before.service.work);
  }
}

TEST_F(KeptRecordings, AreOneForEachLoadAndHoldOnlyTheInstants) {
  EXPECT_THAT(kept_recordings(run()), ElementsAre("recorded/1-a.log", "recorded/2-work",
                                                  "recorded/3-b-c.txt", "recorded/4-a.log"));
  EXPECT_EQ(read_file(run() + "/recorded/1-a.log"), "1000000000\n2000000000\n");
  EXPECT_EQ(read_file(run() + "/recorded/4-a.log"), "0\n1000000000\n");
  EXPECT_EQ(read_file(run() + "/recorded/2-work"), "20000000 2\n30000000 1\n");
  EXPECT_THAT(kept_recordings(directory_.path()), ElementsAre());
}

TEST_F(KeptRecordings, HaveTheirDigestsBesideTheOthers) {
  write_checksums(run());
  const Checksums sums(run());
  for (const std::string& name : kept_recordings(run())) EXPECT_EQ(sums.alteration(name), "");
  directory_.write("run/recorded/2-work", "20000000 3\n30000000 1\n");
  EXPECT_THAT(Checksums(run()).alteration("recorded/2-work"), HasSubstr("not what the run wrote"));
}

TEST_F(KeptRecordings, AreSoughtFromWhereATryStands) {
  const Scenario of_try = with_recordings_in("../../..", arms_of(kept_, "test")[0].scenario);
  EXPECT_EQ(of_try.client.recorded.source, "../../../recorded/1-a.log:ns");
  EXPECT_EQ(of_try.service.recorded_work.source, "../../../recorded/2-work:ns");
  const Scenario none = with_recordings_in("../../..", Scenario());
  EXPECT_FALSE(none.client.recorded);
  EXPECT_FALSE(none.service.recorded_work);
}

}  // namespace
}  // namespace retrystorm
