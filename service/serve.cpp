#include "service/serve.hpp"

namespace retrystorm {

int serve(const ServeOptions&) {
  return 0;
}

}  // namespace retrystorm
