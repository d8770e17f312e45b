#include "core/policy/work.hpp"

#include <cmath>

namespace retrystorm {

Work::Work(const Scenario& s)
    : mean_(s.service.work), random_(static_cast<std::uint64_t>(s.seed), Stream::work) {
  switch (s.service.work_shape) {
    case WorkShape::fixed:
      shape_ = Shape::fixed;
      break;
    case WorkShape::exponential:
      shape_ = Shape::exponential;
      break;
    case WorkShape::lognormal: {
      shape_ = Shape::lognormal;
      // Mean m and coefficient of variation v of a lognormal: sigma^2 = ln(1 + v^2), mu = ln m -
      // sigma^2 / 2.
      const double variance = std::log1p(s.service.work_cv * s.service.work_cv);
      log_sigma_ = std::sqrt(variance);
      log_mean_ = std::log(static_cast<double>(mean_.count())) - variance / 2;
      break;
    }
  }
}

Work::Work(std::vector<Duration> list, Duration mean)
    : shape_(Shape::list), mean_(mean), random_(0), list_(std::move(list)) {}

double Work::lognormal_draw() {
  return std::exp(log_mean_ + log_sigma_ * normal_(random_));
}

}  // namespace retrystorm
