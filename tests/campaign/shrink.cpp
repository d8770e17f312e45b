#include "tests/campaign/shrink.hpp"

#include <cstddef>
#include <utility>

namespace retrystorm::campaign {

Case shrink(Case c, const std::function<bool(const Case&)>& fails) {
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (std::size_t i = c.lines.size(); i-- > 0;) {
      Case less = c;
      less.lines.erase(less.lines.begin() + static_cast<std::ptrdiff_t>(i));
      if (!fails(less)) continue;
      c = std::move(less);
      shorter = true;
    }
  }
  return c;
}

}  // namespace retrystorm::campaign
