// The name of one try of an arm, in every table of the ledger and in every report.
#pragma once

#include <cstdint>
#include <string>

namespace retrystorm {

struct TryKey {
  std::string arm;
  std::int64_t try_number = 0;  // numbers the tries of the arm from 0
};

}  // namespace retrystorm
