// What is left of a control group's memory, from trees of files as the kernel shows them.
#include "core/net/memory_room.hpp"

#include "tests/temporary_directory.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

class GroupsMemory : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = root_.path() + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  // Of the groups alone: without statm the process's own limits are not looked at.
  std::optional<MemoryRoom> room() { return memory_room(root_.path()); }

 private:
  TemporaryDirectory root_;
};

TEST_F(GroupsMemory, IsWithoutEndWhereNoLimitIsSet) {
  EXPECT_FALSE(room());
  write("/proc/self/cgroup", "0::/user/me\n");
  write("/sys/fs/cgroup/user/me/memory.max", "max\n");
  write("/sys/fs/cgroup/user/me/memory.current", "5000\n");
  EXPECT_FALSE(room());
}

TEST_F(GroupsMemory, IsItsLimitLessWhatIsUsedTheFileCacheBeingFree) {
  write("/proc/self/cgroup", "0::/user/me\n");
  write("/sys/fs/cgroup/user/me/memory.max", "100000\n");
  write("/sys/fs/cgroup/user/me/memory.current", "70000\n");
  ASSERT_TRUE(room());
  EXPECT_EQ(room()->bytes, 30'000U);
  write("/sys/fs/cgroup/user/me/memory.stat", "anon 10000\nfile 60000\nkernel 1\n");
  EXPECT_EQ(room()->bytes, 90'000U);
  EXPECT_EQ(room()->limit, "the control group's memory limit");
}

TEST_F(GroupsMemory, IsTheLeastOfItsOwnAndOfTheGroupsAroundIt) {
  write("/proc/self/cgroup", "0::/user/me\n");
  write("/sys/fs/cgroup/user/me/memory.max", "100000\n");
  write("/sys/fs/cgroup/user/memory.max", "50000\n");
  write("/sys/fs/cgroup/user/memory.current", "60000\n");
  EXPECT_EQ(room()->bytes, 0U) << "used up";
}

TEST_F(GroupsMemory, IsFoundAtTheMountWithinAContainer) {
  write("/proc/self/cgroup", "0::/a/path/of/the/host\n");
  write("/sys/fs/cgroup/memory.max", "100000\n");
  EXPECT_EQ(room()->bytes, 100'000U);
}

TEST_F(GroupsMemory, IsReadFromTheFirstVersionToo) {
  write("/proc/self/cgroup", "3:cpu:/x\n2:memory:/me\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_FALSE(room());
  write("/sys/fs/cgroup/memory/me/memory.limit_in_bytes", "100000\n");
  write("/sys/fs/cgroup/memory/me/memory.usage_in_bytes", "30000\n");
  write("/sys/fs/cgroup/memory/me/memory.stat", "cache 1\ntotal_cache 10000\n");
  EXPECT_EQ(room()->bytes, 80'000U);
}

}  // namespace
}  // namespace retrystorm
