#include "experiments/run_directory.hpp"

#include "core/error.hpp"
#include "core/write_all.hpp"

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
int lock(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) throw InvalidInput(path, "", std::strerror(errno));
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    ::close(file);
    throw InvalidInput(path, "", "a run is still writing here; wait until it has ended");
  }
  return file;
}

[[noreturn]] void fail(const std::string& path, int error) {
  throw RunFailed(fmt::format("{}: {}", printable(path, 300), std::strerror(error)));
}

// Returns what went wrong, 0 for nothing.
int write_file(const std::string& path, int flags, std::string_view text) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (file < 0) return errno;
  std::size_t done = 0;
  int error = write_all(file, text.data(), text.size(), done);
  if (::close(file) != 0 && error == 0)
    error = errno;  // where a network's disk tells that it is full
  return error;
}

}  // namespace

RunDirectory RunDirectory::create(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error) && !(fs::is_directory(path, error) && fs::is_empty(path, error))) {
    throw InvalidInput(path, "--out", "must not exist yet, or be an empty directory");
  }
  make_directories(path);
  return {path, lock(path)};
}

RunDirectory RunDirectory::open(const std::string& path) {
  return {path, lock(path)};
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

std::string RunDirectory::try_directory(std::size_t index, const TryKey& key) const {
  return fmt::format("{}/arms/{:03}-{}/{:03}", path_, index + 1, file_name(key.arm), key.repeat);
}

std::vector<std::string> RunDirectory::note_files() const {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(path_ + "/arms", error), end; !error && at != end;
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

void write_whole(const std::string& path, std::string_view text) {
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  // A device or a pipe must not be replaced by a file.
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    if (const int failed = write_file(path, O_WRONLY, text)) fail(path, failed);
    return;
  }
  std::error_code broken;
  const fs::path whole =
      fs::is_symlink(path, error) ? fs::weakly_canonical(path, broken) : fs::path(path);
  if (broken) fail(path, broken.value());
  const std::string part = whole.string() + ".part";
  int failed = write_file(part, O_WRONLY | O_CREAT | O_TRUNC, text);
  if (failed == 0 && ::rename(part.c_str(), whole.c_str()) != 0) failed = errno;
  if (failed == 0) return;
  ::unlink(part.c_str());
  fail(path, failed);
}

void make_directories(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail(path, error.value());
}

std::string file_name(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '=' || c == '.' || c == '_' || c == '-';
    if (!kept) c = '-';
  }
  return result.substr(0, 80);
}

}  // namespace retrystorm
