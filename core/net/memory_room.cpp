#include "core/net/memory_room.hpp"

#include <algorithm>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

namespace retrystorm {
namespace {

void tighten(std::optional<MemoryRoom>& room, std::uint64_t limit, std::uint64_t used,
             std::string_view name) {
  const std::uint64_t left = limit - std::min(limit, used);
  if (!room || left < room->bytes) room = MemoryRoom{left, name};
}

void look_at_resource_limits(std::optional<MemoryRoom>& room, const std::string& root) {
  std::ifstream statm(root + "/proc/self/statm");
  std::uint64_t size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;  // in pages
  if (!(statm >> size >> resident >> shared >> text >> library >> data)) return;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    tighten(room, limit.rlim_cur, size * page, "ulimit -v");
  }
  if (::getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    tighten(room, limit.rlim_cur, data * page, "ulimit -d");
  }
}

// The number in the file; nothing for "max" or no file.
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

// The number behind `name` in the lines of the file; 0 without it.
std::uint64_t number_of(std::string_view name, const std::string& path) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  while (file >> word >> number) {
    if (word == name) return number;
  }
  return 0;
}

struct GroupFiles {
  std::string_view limit;
  std::string_view used;
  std::string_view cache;  // in memory.stat
};
constexpr GroupFiles second_version{"/memory.max", "/memory.current", "file"};
constexpr GroupFiles first_version{"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                   "total_cache"};

// The group and those around it, up to the mount; within a container the path may lead nowhere, and
// the mount itself is the group.
void look_at_group(std::optional<MemoryRoom>& room, const std::string& mount, std::string path,
                   const GroupFiles& files) {
  constexpr std::uint64_t none = std::uint64_t{1} << 60;  // the first version's word for it
  for (;;) {
    if (path == "/") path.clear();
    const std::string group = mount + path;
    const auto limit = number_in(group + std::string(files.limit));
    if (limit && *limit < none) {
      const std::uint64_t used = number_in(group + std::string(files.used)).value_or(0);
      const std::uint64_t cache = number_of(files.cache, group + "/memory.stat");
      tighten(room, *limit, used - std::min(used, cache), "the control group's memory limit");
    }
    if (path.empty()) return;
    path.erase(path.rfind('/'));
  }
}

}  // namespace

std::optional<MemoryRoom> memory_room(const std::string& root) {
  std::optional<MemoryRoom> room;
  look_at_resource_limits(room, root);
  std::ifstream groups(root + "/proc/self/cgroup");
  // "0::/path" in the second version, "7:memory:/path" in the first.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t path = line.find(":/");
    if (path == std::string::npos) continue;
    if (line.starts_with("0::")) {
      look_at_group(room, root + "/sys/fs/cgroup", line.substr(path + 1), second_version);
    } else if (line.find(":memory:") != std::string::npos) {
      look_at_group(room, root + "/sys/fs/cgroup/memory", line.substr(path + 1), first_version);
    }
  }
  return room;
}

}  // namespace retrystorm
