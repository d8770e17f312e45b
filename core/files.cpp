#include "core/files.hpp"

#include "core/error.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw RunFailed(fmt::format("{}: {}", printable(path, 300), write_error_text(error)));
}

// Closed at the end of its scope.
class OpenFile {
 public:
  explicit OpenFile(int file) : file_(file) {}
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

// Returns what went wrong, 0 for nothing.
int write_file(const std::string& path, int flags, std::string_view text) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (file < 0) return errno;
  ::fcntl(file, F_SETFL, 0);  // only the opening may not wait
  std::size_t done = 0;
  int error = write_all(file, text.data(), text.size(), done);
  if (::close(file) != 0 && error == 0)
    error = errno;  // where a network's disk tells that it is full
  return error;
}

// One without a name in any folder has its writer already.
bool is_nameless_pipe(int file) {
  struct statfs system {};
  return ::fstatfs(file, &system) == 0 && system.f_type == PIPEFS_MAGIC;
}

}  // namespace

std::string read_file(std::string_view path) {
  std::string text;
  std::error_code unknown;
  if (const auto size = fs::file_size(path, unknown); !unknown) text.reserve(size);
  read_pieces(std::string(path), [&](std::string_view piece) { text += piece; });
  return text;
}

void read_pieces(const std::string& path, const std::function<void(std::string_view)>& take) {
  const auto refuse = [&](const char* what) { throw InvalidInput(path, "", what); };
  constexpr const char* unreadable = "cannot be read: it must be an existing, readable file";
  constexpr const char* no_file =
      "cannot be read: it is a named pipe, a device or a socket; it must be a file";
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) refuse(unreadable);
  // Before it is opened: that alone would wait, or move what is no file.
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) refuse(no_file);
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) refuse(unreadable);
  if (!S_ISREG(status.st_mode)) {
    if (!is_nameless_pipe(file.get())) refuse(no_file);
    ::fcntl(file.get(), F_SETFL, 0);
  }
  std::array<char, 65536> piece;
  for (;;) {
    const ssize_t n = ::read(file.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(unreadable);  // a failing disk
    if (n == 0) return;
    take({piece.data(), static_cast<std::size_t>(n)});
  }
}

void write_whole(const std::string& path, std::string_view text) {
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  // A device or a pipe must not be replaced by a file.
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    const int flags = fs::is_fifo(there) ? O_WRONLY | O_NONBLOCK : O_WRONLY;
    if (const int failed = write_file(path, flags, text)) fail(path, failed);
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

std::string write_error_text(int error) {
  const char* system = std::strerror(error);
  switch (error) {
    case ENOSPC:
      return fmt::format("the disk is full ({})", system);
    case EDQUOT:
      return fmt::format("the user's share of the disk is used up ({})", system);
    case EFBIG:
      return fmt::format("the limit for the size of a file is reached ({})", system);
    case ENXIO:
      return fmt::format("nobody reads this pipe ({})", system);
    default:
      return system;
  }
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
