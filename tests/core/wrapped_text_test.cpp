#include "core/wrapped_text.hpp"

#include <cstdlib>
#include <sstream>

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace retrystorm {
namespace {

TEST(Explained, WrapsAtTheGivenWidth) {
  EXPECT_EQ(explained("word", "one two three", 20), "word       one two\n           three\n");
  EXPECT_EQ(bulleted("  ! ", "one two three", 12), "  ! one two\n    three\n");
}

TEST(FittedText, BreaksLongLinesAtBlanksAndLeavesTheOthers) {
  EXPECT_EQ(fitted("short\n  one two three four\n", 15), "short\n  one two three\n      four\n");
  EXPECT_EQ(fitted("no end", 80), "no end");
  EXPECT_EQ(fitted("", 80), "");
}

TEST(FittedText, BreaksNoWord) {
  const std::string word(100, 'x');
  EXPECT_EQ(fitted("a " + word + " b\n", 40), "a\n    " + word + "\n    b\n");
}

TEST(FittedText, KeepsEveryWordAndTheWidth) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += std::string(static_cast<std::size_t>(i % 9 + 1), 'w') + ' ';
  for (std::size_t width = 20; width < 100; ++width) {
    std::istringstream lines(fitted("   " + text, width));
    std::string joined;
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), width);
      joined += line + ' ';
    }
    std::istringstream words(joined), expected(text);
    std::string a, b;
    while (expected >> b) {
      ASSERT_TRUE(words >> a);
      EXPECT_EQ(a, b);
    }
  }
}

// COLUMNS of the environment, as it was before in the end.
class Columns {
 public:
  explicit Columns(const char* value) {
    if (const char* before = std::getenv("COLUMNS")) before_ = before;
    value == nullptr ? ::unsetenv("COLUMNS") : ::setenv("COLUMNS", value, 1);
  }
  ~Columns() { before_.empty() ? ::unsetenv("COLUMNS") : ::setenv("COLUMNS", before_.c_str(), 1); }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;

 private:
  std::string before_;
};

TEST(Terminal, IsAsWideAsItSaysUnlessColumnsSaysOtherwise) {
  int terminal = -1;
  int screen = -1;
  winsize size{};
  size.ws_col = 133;
  ASSERT_EQ(::openpty(&screen, &terminal, nullptr, nullptr, &size), 0);
  {
    const Columns none(nullptr);
    EXPECT_EQ(look_of(terminal).width, 133U);
    EXPECT_TRUE(look_of(terminal).colour);
  }
  const Columns given("91");
  EXPECT_EQ(look_of(terminal).width, 91U);
  ::close(terminal);
  ::close(screen);
}

TEST(Terminal, ThatIsNoneHasEightyColumnsWithoutColour) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  for (const char* columns :
       {static_cast<const char*>(nullptr), "", "wide", "0", "-5", "1000000"}) {
    const Columns given(columns);
    EXPECT_EQ(look_of(ends[1]).width, 80U) << (columns == nullptr ? "none" : columns);
    EXPECT_FALSE(look_of(ends[1]).colour);
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace retrystorm
