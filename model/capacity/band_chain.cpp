#include "model/capacity/band_chain.hpp"

namespace retrystorm::capacity {

std::vector<double> BandChain::stationary(Meter* meter) && {
  std::size_t first = 0;  // the lowest state that is ever returned to
  for (std::size_t k = size_; k-- > 1;) {
    const std::size_t lowest = k > down_ ? k - down_ : 0;
    const std::size_t steps = k - lowest;
    spend(meter, price::band_product * static_cast<double>(steps) * static_cast<double>(up_));
    const double* const down = &at(k, lowest);
    double out = 0;
    for (std::size_t j = 0; j < steps; ++j) out += down[j];
    if (out == 0) {  // no way down from here: what is below is left for ever
      first = k;
      break;
    }
    for (std::size_t i = k > up_ ? k - up_ : 0; i < k; ++i) {
      double& into = at(i, k);
      if (into == 0) continue;
      into /= out;
      // The targets lowest ... k - 1 lie in the band of i, because i - down <= k - down <= lowest.
      double* const row = &at(i, lowest);
      for (std::size_t j = 0; j < steps; ++j) row[j] += into * down[j];
    }
  }
  std::vector<double> p(size_, 0.0);
  p[first] = 1;
  double sum = 1;
  for (std::size_t k = first + 1; k < size_; ++k) {
    for (std::size_t i = std::max(first, k > up_ ? k - up_ : 0); i < k; ++i)
      p[k] += p[i] * at(i, k);
    sum += p[k];
    if (sum > 1e200) {  // the scale is free
      for (std::size_t i = 0; i <= k; ++i) p[i] *= 1e-200;
      sum *= 1e-200;
    }
  }
  for (double& v : p) v /= sum;
  return p;
}

}  // namespace retrystorm::capacity
