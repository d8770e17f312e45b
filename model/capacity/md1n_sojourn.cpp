#include "model/capacity/md1n_sojourn.hpp"

#include "model/capacity/domain.hpp"
#include "model/capacity/poisson.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/quadrature/gauss.hpp>

namespace retrystorm::capacity {
namespace {

// sum_m starts[m] list[n - m + shift], m = 1 ... n.
double convolved(const std::vector<double>& starts, const std::vector<double>& list, std::size_t n,
                 std::size_t shift) {
  double sum = 0;
  for (std::size_t i = 0; i < n && i + shift < list.size(); ++i)
    sum += starts[n - i] * list[i + shift];
  return sum;
}

}  // namespace

MD1NSojourn::MD1NSojourn(double arrivals_per_s, double work_s, const std::vector<double>& found)
    : arrivals_per_s_(arrivals_per_s), work_s_(work_s), starts_(found) {
  require_positive("MD1NSojourn", "arrivals_per_s", arrivals_per_s);
  require_positive("MD1NSojourn", "work_s", work_s);
  require_at_least("MD1NSojourn", "found.size()", static_cast<double>(found.size()), 2);
  starts_.pop_back();
  if (starts_.size() > 1) starts_[1] += starts_[0];
  const double a = arrivals_per_s * work_s;
  reached_ = upper_sums(poisson_pmf(a, poisson_reach(a, 1e-300)));
  const std::vector<double> beyond = upper_sums(reached_);
  below_ = {0, found[0]};
  sum_below_ = {0, found[0] * work_s};
  for (std::size_t n = 1; n < starts_.size(); ++n) {
    // The rest of the work under way: the integral of (D - x) Poisson(m; lambda x) is that of
    // P(Poisson(lambda x) > m)/lambda, and so sum_{i > m + 1} P(Poisson(a) >= i)/lambda^2.
    const double rest = convolved(starts_, beyond, n, 2) / arrivals_per_s;
    below_.push_back(below_.back() + found[n]);
    sum_below_.push_back(sum_below_.back() + static_cast<double>(n) * work_s * found[n] + rest);
  }
}

MD1NSojourn::Place MD1NSojourn::place_of(double seconds) const {
  // The slack is for times that are multiples of the work in decimal but not in binary.
  const double works = std::min(std::floor(seconds / work_s_ + 1e-9),  //
                                static_cast<double>(starts_.size()));
  return {static_cast<std::int64_t>(works), std::clamp(seconds - works * work_s_, 0.0, work_s_)};
}

double MD1NSojourn::density(std::int64_t found, double done_s) const {
  const auto n = static_cast<std::size_t>(found);
  const double mean = arrivals_per_s_ * done_s;
  const std::vector<double> pmf = poisson_pmf(mean, std::min(n - 1, poisson_reach(mean, 1e-300)));
  return arrivals_per_s_ * convolved(starts_, pmf, n, 0);
}

// P(finds j, at most u of the work left).
double MD1NSojourn::piece(const Place& at) const {
  const auto n = static_cast<std::size_t>(at.works);
  if (n == 0 || n >= starts_.size() || at.rest == 0) return 0;
  const double before = arrivals_per_s_ * (work_s_ - at.rest);
  const std::vector<double> reached =
      upper_sums(poisson_pmf(before, std::min(reached_.size(), poisson_reach(before, 1e-300))));
  return std::max(0.0, convolved(starts_, reached_, n, 1) - convolved(starts_, reached, n, 1));
}

double MD1NSojourn::within(double seconds) const {
  require_at_least("MD1NSojourn::within", "seconds", seconds, 0);
  const Place at = place_of(seconds);
  return below_[static_cast<std::size_t>(at.works)] + piece(at);
}

double MD1NSojourn::sum_within(double seconds) const {
  require_at_least("MD1NSojourn::sum_within", "seconds", seconds, 0);
  const Place at = place_of(seconds);
  double sum = sum_below_[static_cast<std::size_t>(at.works)];
  if (at.works == 0 || at.rest == 0 || at.works >= static_cast<std::int64_t>(starts_.size()))
    return sum;
  const auto sojourn_by = [&](double done) {
    return (static_cast<double>(at.works) * work_s_ + work_s_ - done) * density(at.works, done);
  };
  // A polynomial times e^{-lambda x}, in parts of some ten arrivals.
  const double parts = std::ceil(arrivals_per_s_ * at.rest / 10);
  for (double i = 0; i < parts; ++i) {
    const double from = work_s_ - at.rest * (parts - i) / parts;
    sum += boost::math::quadrature::gauss<double, 20>::integrate(sojourn_by, from,
                                                                 from + at.rest / parts);
  }
  return sum;
}

}  // namespace retrystorm::capacity
