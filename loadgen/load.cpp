#include "loadgen/load.hpp"

namespace retrystorm {

int load(const LoadOptions&) {
  return 0;
}

}  // namespace retrystorm
