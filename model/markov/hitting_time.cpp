#include "model/markov/hitting_time.hpp"

#include "model/capacity/domain.hpp"

#include <algorithm>
#include <limits>

namespace retrystorm {

AbsorbedChain::AbsorbedChain(std::size_t size, std::size_t down, std::size_t up, double most_work)
    : size_(size), down_(down), up_(up), width_(down + up + 1) {
  const double states = static_cast<double>(size);
  const double work = states * static_cast<double>(down) * static_cast<double>(up);
  capacity::require(work <= most_work && states * static_cast<double>(width_) < 2.5e8,
                    "AbsorbedChain", "size x down x up", work, "be small enough to solve");
  rate_.assign(size * width_, 0.0);
  absorption_.assign(size, 0.0);
}

void AbsorbedChain::add(std::size_t from, std::size_t to, double rate) {
  rate_[from * width_ + (to + down_ - from)] += rate;
}

std::vector<double> AbsorbedChain::mean_times(Meter* meter) && {
  // t: the expected time, times the rate out, that a visit costs before the next state not yet
  // removed.
  std::vector<double> t(size_, 1.0);
  std::vector<double> out(size_, 0.0);
  for (std::size_t i = 0; i < size_; ++i) {
    const std::size_t last = std::min(i + up_, size_ - 1);
    const std::size_t targets = last - i;
    spend(meter, price::band_product * static_cast<double>(targets) * static_cast<double>(down_));
    const double* const onward = row(i) + down_ + 1;  // i + 1 ... last
    double sum = absorption_[i];
    for (std::size_t k = 0; k < targets; ++k) sum += onward[k];
    out[i] = sum;
    if (sum == 0) continue;  // never entered, or never left
    for (std::size_t j = i + 1; j <= std::min(i + down_, size_ - 1); ++j) {
      double* const from = row(j);
      const double into = from[i + down_ - j];
      if (into == 0) continue;
      const double share = into / sum;
      double* const target = from + (i + 1 + down_ - j);
      for (std::size_t k = 0; k < targets; ++k) target[k] += share * onward[k];
      absorption_[j] += share * absorption_[i];
      t[j] += share * t[i];
    }
  }
  std::vector<double> h(size_, 0.0);
  for (std::size_t i = size_; i-- > 0;) {
    const std::size_t targets = std::min(i + up_, size_ - 1) - i;
    const double* const onward = row(i) + down_ + 1;
    double sum = t[i];
    for (std::size_t k = 0; k < targets; ++k) sum += onward[k] * h[i + 1 + k];
    h[i] = out[i] > 0 ? sum / out[i] : std::numeric_limits<double>::infinity();
  }
  return h;
}

}  // namespace retrystorm
