#include "core/files.hpp"

#include "core/error.hpp"
#include "tests/temporary_directory.hpp"

#include <array>
#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace retrystorm {
namespace {

TEST(WriteWhole, ReplacesAFileAndLeavesNoPart) {
  const TemporaryDirectory root;
  write_whole(root.file("f"), "one");
  write_whole(root.file("f"), "two");
  EXPECT_EQ(read_file(root.file("f")), "two");
  EXPECT_FALSE(std::filesystem::exists(root.file("f.part")));
  EXPECT_THROW(write_whole(root.file("no/such/f"), "x"), RunFailed);
}

TEST(WriteWhole, LeavesNothingBehindWhereItFails) {
  const TemporaryDirectory root;
  make_directories(root.file("place/inner"));
  EXPECT_THROW(write_whole(root.file("place"), "x"), RunFailed);
  EXPECT_TRUE(std::filesystem::is_directory(root.file("place/inner")));
  EXPECT_FALSE(std::filesystem::exists(root.file("place.part")));
}

TEST(WriteWhole, FollowsALink) {
  const TemporaryDirectory root;
  write_whole(root.file("real"), "old");
  std::filesystem::create_symlink(root.file("real"), root.file("link"));
  write_whole(root.file("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(root.file("link")));
  EXPECT_EQ(read_file(root.file("real")), "new");
}

// Whoever may write to /dev could otherwise lose /dev/null to `--out /dev/null`.
TEST(WriteWhole, WritesToWhatIsNoFileInsteadOfReplacingIt) {
  const TemporaryDirectory root;
  const std::string pipe = root.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  write_whole(pipe, "text");
  std::array<char, 8> got{};
  EXPECT_EQ(::read(reader, got.data(), got.size()), 4);
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(WriteWhole, DoesNotWaitForAReaderThatThereIsNot) {
  const TemporaryDirectory root;
  ASSERT_EQ(::mkfifo(root.file("pipe").c_str(), 0600), 0);
  try {
    write_whole(root.file("pipe"), "text");
    ADD_FAILURE() << "written to nobody";
  } catch (const RunFailed& error) {
    EXPECT_NE(std::string(error.what()).find("nobody reads this pipe"), std::string::npos);
  }
}

TEST(WriteWhole, NamesAFullDisk) {
  try {
    write_whole("/dev/full", "text");
    ADD_FAILURE() << "written";
  } catch (const RunFailed& error) {
    EXPECT_STREQ(error.what(), "/dev/full: the disk is full (No space left on device)");
  }
}

// Opening one for reading waits for whoever writes to it, which may be nobody.
TEST(ReadFile, RefusesANamedPipeOrADeviceAndWaitsForNeither) {
  const TemporaryDirectory root;
  ASSERT_EQ(::mkfifo(root.file("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink(root.file("pipe"), root.file("link"));
  for (const std::string& path :
       {root.file("pipe"), root.file("link"), std::string("/dev/null"), std::string("/dev/zero")}) {
    try {
      read_file(path);
      ADD_FAILURE() << path << " was read";
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find("must be a file"), std::string::npos) << path;
    }
  }
}

// `<(..)` of a shell.
TEST(ReadFile, ReadsWhatAShellHandsOverInPlaceOfAFile) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::write(pipe[1], "text", 4), 4);
  ::close(pipe[1]);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(pipe[0])), "text");
  ::close(pipe[0]);
}

TEST(ReadFile, RefusesALinkThatLeadsToItself) {
  const TemporaryDirectory root;
  std::filesystem::create_symlink(root.file("loop"), root.file("loop"));
  EXPECT_THROW(read_file(root.file("loop")), InvalidInput);
}

}  // namespace
}  // namespace retrystorm
