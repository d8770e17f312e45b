// The one error that bad input becomes: where it stands, which field, what would be right.
// Caught once, in main, which prints one line and exits with 2. Expected failures are values, not
// errors.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace retrystorm {

// Where a value given on the command line stands, for messages.
inline constexpr std::string_view command_line = "command line";

// Invalid input or arguments.
class InvalidInput : public std::runtime_error {
 public:
  // `where`: a file (with line, if known) or "command line"; `field`: its name as the user wrote
  // it, may be empty; `remedy`: what is wrong and what would be right. Unprintable bytes are
  // escaped.
  InvalidInput(std::string_view where, std::string_view field, std::string_view remedy);
};

// The run cannot be carried out or trusted (port taken, disk full, child died): exit code 3.
class RunFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `text` on one line: control characters, those that turn the direction of writing and bytes that
// are not valid UTF-8 become \xNN; at most `limit` bytes of it, then an ellipsis. For terminals.
std::string printable(std::string_view text, std::size_t limit = 120);

// The exit codes of every verb.
enum ExitCode : int {
  exit_done = 0,          // done, every threshold met
  exit_failed = 1,        // done, a threshold or comparison failed
  exit_invalid = 2,       // the input or the arguments are invalid
  exit_untrusted = 3,     // the run itself is not trustworthy
  exit_interrupted = 130  // interrupted, results so far kept
};

// Where several hold: 130, then 3, then 1 (2 comes before anything runs).
int worse_exit(int a, int b);

}  // namespace retrystorm
