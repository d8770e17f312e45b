#include "model/capacity/sojourn_law.hpp"

#include "model/capacity/domain.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/gamma.hpp>

namespace retrystorm::capacity {
namespace {

// E[f(N)] for N Poisson(mean), f nondecreasing with the limit `top`, which it has reached to the
// last digit at `settled`. Summed from the mode outwards until the rest is nothing beside the sum.
template <typename F>
double poisson_mean_of(double mean, double top, double settled, F&& f) {
  // P(N <= settled) < exp(-50) by Chernoff.
  if (mean > 2 * settled + 100) return top;
  const double mode = std::floor(mean);
  const double peak = boost::math::gamma_p_derivative(mode + 1, mean);
  constexpr double nothing = 1e-17;
  double sum = 0;
  double p = peak;
  for (double i = mode; p > 0; ++i) {
    sum += p * f(static_cast<std::size_t>(i));
    p *= mean / (i + 1);
    // The rest is at most top p (1 + r + r^2 ...), r = mean/(i + 2).
    if (top * p * (i + 2) <= nothing * sum * (i + 2 - mean)) break;
  }
  p = peak;
  for (double i = mode; i > 0; --i) {
    p *= i / mean;
    const double term = p * f(static_cast<std::size_t>(i - 1));
    sum += term;
    if (term * (i - 1) <= nothing * sum * (mean - (i - 1))) break;
  }
  return sum;
}

}  // namespace

SojournLaw::SojournLaw(double services_per_s, std::int64_t servers,
                       const std::vector<double>& found)
    : ends_per_s_(services_per_s * static_cast<double>(servers)),
      servers_(static_cast<double>(servers)),
      keep_(1 - 1 / static_cast<double>(servers)) {
  require_positive("SojournLaw", "services_per_s", services_per_s);
  require_at_least("SojournLaw", "servers", servers_, 1);
  const auto c = static_cast<std::size_t>(servers);
  for (std::size_t n = 0; n < std::min(c, found.size()); ++n) in_work_ += found[n];
  total_ = in_work_;
  const std::size_t most = found.size() > c ? found.size() - c : 0;  // the largest k
  done_.assign(most + 1, 0.0);
  done_ends_.assign(most + 1, 0.0);
  for (std::size_t j = 1; j <= most; ++j) {
    const double done = in_work_ / servers_;
    done_[j] = done_[j - 1] + done;
    done_ends_[j] = done_ends_[j - 1] + done * static_cast<double>(j);
    in_work_ = in_work_ * keep_ + found[c + j - 1];
    total_ += found[c + j - 1];
  }
  total_ends_ = done_ends_.back() + in_work_ * (static_cast<double>(most) + servers_);
}

double SojournLaw::done_by(std::size_t ends) const {
  if (ends < done_.size()) return done_[ends];
  const auto more = static_cast<double>(ends - (done_.size() - 1));
  return done_.back() + in_work_ * -std::expm1(more * std::log1p(-1 / servers_));
}

double SojournLaw::done_ends_by(std::size_t ends) const {
  if (ends < done_ends_.size()) return done_ends_[ends];
  const std::size_t most = done_ends_.size() - 1;
  const auto more = static_cast<double>(ends - most);
  // The sum of g keep^{g-1}/c over g = 1 ... more is c (1 - keep^more) - more keep^more.
  const double ended = -std::expm1(more * std::log1p(-1 / servers_));
  return done_ends_.back() + in_work_ * ((static_cast<double>(most) + servers_) * ended -
                                         (ended < 1 ? more * (1 - ended) : 0));
}

double SojournLaw::within(double seconds) const {
  require_at_least("SojournLaw::within", "seconds", seconds, 0);
  if (seconds == 0) return 0;
  const double settled = static_cast<double>(done_.size()) + 45 * servers_;  // e^-45 are left
  return poisson_mean_of(ends_per_s_ * seconds, total_, settled,
                         [&](std::size_t i) { return done_by(i); });
}

// E[time of the J-th end; it is <= t] = (J/theta) P(N > J), a property of the gamma law.
double SojournLaw::sum_within(double seconds) const {
  require_at_least("SojournLaw::sum_within", "seconds", seconds, 0);
  if (seconds == 0) return 0;
  const double settled = static_cast<double>(done_.size()) + 50 * servers_;
  return poisson_mean_of(ends_per_s_ * seconds, total_ends_, settled,
                         [&](std::size_t i) { return i > 0 ? done_ends_by(i - 1) : 0; }) /
         ends_per_s_;
}

}  // namespace retrystorm::capacity
