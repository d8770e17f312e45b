#include "core/files.hpp"

#include "core/error.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

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

std::string read_file(std::string_view path) {
  std::ifstream file{std::string(path), std::ios::binary};
  try {
    if (file) return {std::istreambuf_iterator<char>(file), {}};
  } catch (const std::ios_base::failure&) {  // a directory, a failing disk
  }
  throw InvalidInput(path, "", "cannot be read: it must be an existing, readable file");
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

int write_all(int file, const void* bytes, std::size_t size, std::size_t& done) {
  while (done < size) {
    const ssize_t n = ::write(file, static_cast<const char*>(bytes) + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

}  // namespace retrystorm
