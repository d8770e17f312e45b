#include "model/capacity/domain.hpp"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace retrystorm::capacity {

void require(bool ok, std::string_view function, std::string_view argument, double value,
             std::string_view must) {
  if (ok) return;
  throw std::domain_error(fmt::format("{}: {} must {}, is {}", function, argument, must, value));
}

void require_positive(std::string_view function, std::string_view argument, double value) {
  require(std::isfinite(value) && value > 0, function, argument, value, "be above 0 and finite");
}

void require_at_least(std::string_view function, std::string_view argument, double value,
                      double least) {
  require(std::isfinite(value) && value >= least, function, argument, value,
          fmt::format("be at least {} and finite", least));
}

}  // namespace retrystorm::capacity
