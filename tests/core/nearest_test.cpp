#include "core/nearest.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

TEST(Nearest, CountsLettersPutInLeftOutChangedAndSwapped) {
  EXPECT_EQ(letters_apart("rate", "rate"), 0U);
  EXPECT_EQ(letters_apart("rate", "rates"), 1U);
  EXPECT_EQ(letters_apart("rate", "ate"), 1U);
  EXPECT_EQ(letters_apart("rate", "rare"), 1U);
  EXPECT_EQ(letters_apart("rate", "rtae"), 1U);
  EXPECT_EQ(letters_apart("rate", "name"), 2U);
  EXPECT_EQ(letters_apart("", "rate"), 4U);
  EXPECT_EQ(letters_apart("timeout", "tiemotu"), 2U);
}

TEST(Nearest, IsTheNameThatFewestLettersAreAwayFrom) {
  const std::vector<std::string> names = {"rate", "retries", "timeout", "duration"};
  EXPECT_EQ(nearest("rtae", names), "rate");
  EXPECT_EQ(nearest("retires", names), "retries");
  EXPECT_EQ(nearest("tiemotu", names), "timeout");
}

TEST(Nearest, IsWhatBeginsSoWhereNothingIsNearer) {
  const std::vector<std::string> names = {"rate", "retries", "timeout", "duration"};
  EXPECT_EQ(nearest("dur", names), "duration");
  EXPECT_EQ(nearest("d", names), "");
}

TEST(Nearest, IsNothingWhereEveryNameIsFar) {
  EXPECT_EQ(nearest("name", {"rate", "retries"}), "") << "of a short name two letters are too many";
  EXPECT_EQ(nearest("anything", {}), "");
}

}  // namespace
}  // namespace retrystorm
