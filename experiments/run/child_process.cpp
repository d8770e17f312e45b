#include "experiments/run/child_process.hpp"

#include "core/clocks.hpp"
#include "core/error.hpp"
#include "experiments/run/interrupts.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace retrystorm {
namespace {

// A child that talks without end may not eat the memory of the run.
constexpr std::size_t most_output = std::size_t{16} << 20;

// The child's side, between fork and exec: only calls that are safe there.
[[noreturn]] void become(const char* path, char* const* arguments, int output, int errors,
                         pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent died before the line above
  ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(errors, 2) < 0) {
    ::_exit(127);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  // Sockets of the page's server are not the child's; a kernel without the call keeps them open.
  ::syscall(SYS_close_range, 3U, ~0U, 0U);
  ::execv(path, arguments);
  constexpr char message[] = "cannot be executed\n";
  if (::write(2, message, sizeof message - 1) < 0) ::_exit(126);
  ::_exit(127);
}

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

}  // namespace

ChildProcess::ChildProcess(const std::string& path, std::vector<std::string> arguments,
                           std::string error_path)
    : error_path_(std::move(error_path)), began_(steady_now()) {
  std::string name = path.substr(path.rfind('/') + 1);
  std::vector<char*> pointers{name.data()};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const int errors = ::open(error_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (errors < 0) throw RunFailed(fmt::format("{}: {}", error_path_, std::strerror(errno)));
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    ::close(errors);
    throw RunFailed(fmt::format("no pipe for a child process: {}", std::strerror(errno)));
  }
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become(path.c_str(), pointers.data(), pipe[1], errors, parent);
  const int error = errno;
  ::close(pipe[1]);
  ::close(errors);
  output_file_ = pipe[0];
  if (pid_ < 0) {
    ::close(output_file_);
    throw RunFailed(fmt::format("no child process: {}", std::strerror(error)));
  }
  ::fcntl(output_file_, F_SETFL, O_NONBLOCK);
  // The header of glibc 2.36 declares pidfd_open for C only. Close-on-exec by itself.
  event_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (event_ < 0) {
    const int reason = errno;
    ::kill(pid_, SIGKILL);
    reap(true);
    ::close(output_file_);
    throw RunFailed(fmt::format("cannot watch a child process: {}", std::strerror(reason)));
  }
}

ChildProcess::~ChildProcess() {
  if (!ended_) {
    ::kill(pid_, SIGKILL);
    reap(true);
  }
  if (output_file_ >= 0) ::close(output_file_);
  ::close(event_);
}

void ChildProcess::signal(int number) const {
  if (!ended_) ::kill(pid_, number);
}

std::string ChildProcess::last_error() const {
  std::ifstream file(error_path_);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  constexpr std::string_view prefix = "retrystorm: ";
  if (last.starts_with(prefix)) last.erase(0, prefix.size());
  return printable(last, 300);
}

void ChildProcess::read_output() {
  std::array<char, 65536> buffer;
  while (output_file_ >= 0) {
    const ssize_t n = ::read(output_file_, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    if (n == 0) {  // closed: poll() would report that without end
      ::close(output_file_);
      output_file_ = -1;
      return;
    }
    const auto room = most_output - std::min(most_output, output_.size());
    output_.append(buffer.data(), std::min(static_cast<std::size_t>(n), room));
  }
}

void ChildProcess::reap(bool wait) {
  int status = 0;
  rusage usage{};
  pid_t got = 0;
  do {
    got = ::wait4(pid_, &status, wait ? 0 : WNOHANG, &usage);
  } while (got < 0 && errno == EINTR);
  if (got == 0) return;
  ProcessEnd ended;
  if (WIFSIGNALED(status)) {
    ended.signal = WTERMSIG(status);
  } else {
    ended.exit_code = WEXITSTATUS(status);
  }
  ended.user_s = seconds_of(usage.ru_utime);
  ended.system_s = seconds_of(usage.ru_stime);
  ended.wall_s = seconds(steady_now() - began_);
  ended_ = ended;
}

void await(std::span<ChildProcess* const> processes, Interrupts& interrupts, Instant deadline) {
  std::vector<pollfd> files{{interrupts.descriptor(), POLLIN, 0}};
  for (const ChildProcess* process : processes) {
    if (process->ended_) continue;
    files.push_back({process->event_, POLLIN, 0});
    files.push_back({process->output_file_, POLLIN, 0});
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_now());
  const auto bounded = std::clamp<std::int64_t>(left.count(), 0, 3'600'000);
  ::poll(files.data(), files.size(), static_cast<int>(bounded));
  for (ChildProcess* process : processes) {
    if (process->ended_) continue;
    // Ended first, output second: what was written before the end is then in the pipe.
    process->reap(false);
    process->read_output();
  }
}

}  // namespace retrystorm
