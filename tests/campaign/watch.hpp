// Ends a campaign whose case does not: after so many seconds the line is written to standard error
// and the process exits with 1. A thread could not stop what does not look at it.
#pragma once

#include <string>

namespace retrystorm::campaign {

// At most one at a time.
class Watch {
 public:
  Watch(std::string line, unsigned seconds);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
};

}  // namespace retrystorm::campaign
