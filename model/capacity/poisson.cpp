#include "model/capacity/poisson.hpp"

#include "model/capacity/domain.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/gamma.hpp>

namespace retrystorm::capacity {

std::vector<double> poisson_pmf(double mean, std::size_t most) {
  require_at_least("poisson_pmf", "mean", mean, 0);
  std::vector<double> pmf(most + 1, 0.0);
  if (mean == 0) {
    pmf[0] = 1;
    return pmf;
  }
  const auto mode = std::min(most, static_cast<std::size_t>(mean));
  // mean^m e^-mean / m!, by Boost because the plain logarithms cancel.
  pmf[mode] = boost::math::gamma_p_derivative(static_cast<double>(mode) + 1, mean);
  for (std::size_t n = mode; n > 0; --n) pmf[n - 1] = pmf[n] * static_cast<double>(n) / mean;
  for (std::size_t n = mode; n < most; ++n) pmf[n + 1] = pmf[n] * mean / static_cast<double>(n + 1);
  return pmf;
}

std::size_t poisson_reach(double mean, double tail) {
  // Chernoff: P(N >= m + x) <= exp(-x^2 / (2 (m + x/3))); solved for x.
  const double depth = -std::log(tail);
  const double x = depth / 3 + std::sqrt(depth * depth / 9 + 2 * depth * mean);
  return static_cast<std::size_t>(std::ceil(mean + x)) + 1;
}

std::vector<double> upper_sums(const std::vector<double>& pmf, double beyond) {
  std::vector<double> sums(pmf.size());
  double sum = beyond;
  for (std::size_t n = pmf.size(); n-- > 0;) {
    sum += pmf[n];
    sums[n] = sum;
  }
  return sums;
}

}  // namespace retrystorm::capacity
