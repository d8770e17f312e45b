#include "experiments/evidence/run_directory.hpp"

#include "core/bidirectional.hpp"
#include "core/error.hpp"
#include "core/files.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

// A lock on the directory itself: it goes with the process that holds it, however that ends.
int lock(const std::string& path, int kind) {
  const int file = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) throw InvalidInput(path, "", std::strerror(errno));
  if (::flock(file, kind | LOCK_NB) != 0) {
    ::close(file);
    throw InvalidInput(path, "", "a run is still writing here; wait until it has ended");
  }
  return file;
}

}  // namespace

RunDirectory RunDirectory::create(const std::string& path) {
  if (holds_bidirectional_control(path)) {
    throw InvalidInput(path, "--out", "a name must not turn the direction of writing");
  }
  std::error_code error;
  if (fs::exists(path, error) && !(fs::is_directory(path, error) && fs::is_empty(path, error))) {
    throw InvalidInput(path, "--out", "must not exist yet, or be an empty directory");
  }
  make_directories(path);
  return {path, lock(path, LOCK_EX)};
}

RunDirectory RunDirectory::open(const std::string& path) {
  return {path, lock(path, LOCK_EX)};
}

RunDirectory RunDirectory::look(const std::string& path) {
  return {path, lock(path, LOCK_SH)};
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

std::string RunDirectory::try_directory(std::size_t index, const TryKey& key) const {
  return fmt::format("{}/arms/{:03}-{}/{:03}", path_, index + 1, file_name(key.arm),
                     key.try_number);
}

std::vector<std::string> note_files_in(const std::string& path) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(path + "/arms", error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().filename() == "try.json") files.push_back(at->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string fresh_run_path(std::string_view experiment_name) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::string base = fmt::format("results/{}-{:%Y%m%dT%H%M%SZ}", experiment_name, now);
  std::string path = base;
  std::error_code error;
  for (int n = 2; fs::exists(path, error); ++n) path = fmt::format("{}-{}", base, n);
  return path;
}

}  // namespace retrystorm
