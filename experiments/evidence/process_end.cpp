#include "experiments/evidence/process_end.hpp"

#include <cstring>

#include <fmt/format.h>

namespace retrystorm {

std::string ProcessEnd::describe() const {
  if (signal != 0) return fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal));
  return fmt::format("exited with {}", exit_code);
}

}  // namespace retrystorm
