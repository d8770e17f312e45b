#include "core/standard_error.hpp"

#include <array>
#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace retrystorm {
namespace {

// Standard error is `file` until the end of the scope.
class StandardErrorIs {
 public:
  explicit StandardErrorIs(int file) : kept_(::dup(STDERR_FILENO)) {
    if (file >= 0) {
      ::dup2(file, STDERR_FILENO);
    } else {
      ::close(STDERR_FILENO);
    }
  }
  ~StandardErrorIs() {
    ::dup2(kept_, STDERR_FILENO);
    ::close(kept_);
    ::clearerr(stderr);
  }
  StandardErrorIs(const StandardErrorIs&) = delete;
  StandardErrorIs& operator=(const StandardErrorIs&) = delete;

 private:
  int kept_;
};

TEST(StandardError, SaysAtOnceWhatIsSaid) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  {
    const StandardErrorIs here(pipe[1]);
    say("text");
  }
  std::array<char, 8> got{};
  EXPECT_EQ(::read(pipe[0], got.data(), got.size()), 4);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(StandardError, ThatNobodyReadsEndsNothing) {
  std::signal(SIGPIPE, SIG_DFL);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  ::close(pipe[0]);
  {
    const StandardErrorIs here(pipe[1]);
    say("text");
    say("more");
  }
  ::close(pipe[1]);
  sigset_t pending;
  ASSERT_EQ(::sigpending(&pending), 0);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0) << "it would end the program later";
}

TEST(StandardError, ThatIsClosedOrFullEndsNothing) {
  {
    const StandardErrorIs closed(-1);
    say("text");
  }
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  {
    const StandardErrorIs here(full);
    say("text");
  }
  ::close(full);
}

}  // namespace
}  // namespace retrystorm
