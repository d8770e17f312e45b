// How a child process ended: a plain value, that notes and reports keep. Starting one stands in
// run/.
#pragma once

#include <string>

namespace retrystorm {

struct ProcessEnd {
  int exit_code = 0;  // if no signal killed it
  int signal = 0;     // that killed it; 0: none
  double user_s = 0;  // CPU seconds
  double system_s = 0;
  double wall_s = 0;  // from start to end

  // "exited with 3", "was killed by signal 9 (Killed)".
  std::string describe() const;
};

}  // namespace retrystorm
