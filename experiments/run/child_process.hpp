// A child process: started from an argument list, its standard output read through a pipe, its
// standard error kept in a file, its CPU time known when it has ended. It stands in a process group
// of its own, so that Ctrl-C reaches only its parent, and it never outlives its parent.
#pragma once

#include "core/units.hpp"
#include "experiments/evidence/process_end.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

class Interrupts;

class ChildProcess {
 public:
  // Starts the program at `path` with these arguments (without its name); standard error goes to
  // the file `error_path`. Throws RunFailed if it cannot be started.
  ChildProcess(const std::string& path, std::vector<std::string> arguments, std::string error_path);
  // Kills and reaps it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void signal(int number) const;
  bool running() const { return !ended_; }
  // How it ended; nothing while it runs.
  const std::optional<ProcessEnd>& ended() const { return ended_; }
  // What it has written to standard output so far.
  const std::string& output() const { return output_; }
  // The last line it wrote to standard error; empty if none.
  std::string last_error() const;
  int pid() const { return pid_; }

 private:
  friend void await(std::span<ChildProcess* const>, Interrupts&, Instant);
  void read_output();
  void reap(bool wait);

  int pid_ = -1;
  int event_ = -1;  // pidfd: readable when it has ended
  int output_file_ = -1;
  std::string error_path_;
  std::string output_;
  std::optional<ProcessEnd> ended_;
  Instant began_;  // on the steady clock
};

// Waits until one of the processes writes or ends, a signal comes, or the deadline (on the steady
// clock) passes; takes in what there is. An ended process's output is complete.
void await(std::span<ChildProcess* const> processes, Interrupts& interrupts, Instant deadline);

}  // namespace retrystorm
