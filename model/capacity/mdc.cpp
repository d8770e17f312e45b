#include "model/capacity/mdc.hpp"

#include "model/capacity/domain.hpp"
#include "model/capacity/poisson.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/toms748_solve.hpp>

namespace retrystorm::capacity {

MDc::MDc(double arrivals_per_s, double work_s, std::int64_t servers)
    : arrivals_per_s_(arrivals_per_s), work_s_(work_s), servers_(servers) {
  require_positive("MDc", "arrivals_per_s", arrivals_per_s);
  require_positive("MDc", "work_s", work_s);
  require_at_least("MDc", "servers", static_cast<double>(servers), 1);
  const double a = arrivals_per_s * work_s;
  const auto c = static_cast<double>(servers);
  require(a < c, "MDc", "arrivals_per_s", arrivals_per_s, "be below servers / work_s");
  decay_ = mdc_decay(a / c);
  // The k-th term of the series falls as exp(-k c (rho - 1 - ln rho)).
  const double fall = c * (a / c - 1 - std::log(a / c));
  backlog_ = fall > 0.2 ? mdc_backlog_by_series(a, servers) : mdc_backlog_by_transform(a, servers);
  // Beyond the last listed value the tail is geometric: last / (decay - 1) in all.
  backlog_tail_ = upper_sums(backlog_, backlog_.back() / (decay_ - 1));
}

double MDc::backlog_tail(std::int64_t n) const {
  if (n <= 0) return 1;
  const auto size = static_cast<std::int64_t>(backlog_tail_.size());
  if (n < size) return backlog_tail_[static_cast<std::size_t>(n)];
  return backlog_.back() / (decay_ - 1) * std::pow(decay_, -static_cast<double>(n - size));
}

double MDc::in_system_tail(std::int64_t n) const {
  // L(t + D) = V + Poisson(a).
  const double a = arrivals_per_s_ * work_s_;
  if (n <= 0) return 1;
  const std::size_t reach = std::min(static_cast<std::size_t>(n - 1), poisson_reach(a, 1e-300));
  const std::vector<double> pmf = poisson_pmf(a, reach);
  double tail = boost::math::gamma_p(static_cast<double>(reach + 1), a);  // P(Poisson > reach)
  for (std::size_t k = 0; k <= reach; ++k) {
    tail += pmf[k] * backlog_tail(n - static_cast<std::int64_t>(k));
  }
  return tail;
}

double MDc::p_wait() const {
  return in_system_tail(servers_);
}

double MDc::mean_wait_s() const {
  double sum = 0;
  for (std::size_t n = 1; n < backlog_tail_.size(); ++n) sum += backlog_tail_[n];
  // Beyond the list: backlog_tail(size) (1 + 1/decay + ...).
  sum += backlog_.back() / (decay_ - 1) * decay_ / (decay_ - 1);
  return sum / arrivals_per_s_;
}

double MDc::wait_tail(double seconds) const {
  require_at_least("MDc::wait_tail", "seconds", seconds, 0);
  const double k = std::floor(seconds / work_s_) + 1;
  const double mean = arrivals_per_s_ * std::max(0.0, k * work_s_ - seconds);
  const auto needed = static_cast<std::int64_t>(k) * servers_;
  const std::size_t reach =
      std::min(static_cast<std::size_t>(needed - 1), poisson_reach(mean, 1e-300));
  const std::vector<double> pmf = poisson_pmf(mean, reach);
  double tail = mean > 0 ? boost::math::gamma_p(static_cast<double>(reach + 1), mean) : 0;
  for (std::size_t j = 0; j <= reach; ++j) {
    tail += pmf[j] * backlog_tail(needed - static_cast<std::int64_t>(j));
  }
  return std::min(1.0, tail);
}

double MDc::wait_sum_within(double seconds) const {
  const double beyond = wait_tail(seconds);
  const auto excess = [&](double t) { return wait_tail(t) - beyond; };
  double sum = 0;
  double panel = work_s_;
  for (double from = 0; from < seconds;) {
    const double to = std::min(from + panel, seconds);
    const double part = boost::math::quadrature::gauss<double, 15>::integrate(excess, from, to);
    sum += part;
    if (part < 1e-12 * sum) break;
    if (to > 32 * work_s_) panel *= 1.25;
    from = to;
  }
  return std::max(0.0, sum);
}

double MDc::wait_quantile_s(double q) const {
  require(q >= 0 && q < 1, "MDc::wait_quantile_s", "q", q, "be in [0, 1)");
  if (p_wait() <= 1 - q) return 0;
  const auto excess = [&](double t) { return std::log(wait_tail(t)) - std::log1p(-q); };
  double high = work_s_;
  while (excess(high) > 0) high *= 2;
  std::uintmax_t iterations = 200;
  const auto [low_root, high_root] = boost::math::tools::toms748_solve(
      excess, 0.0, high, boost::math::tools::eps_tolerance<double>(50), iterations);
  return (low_root + high_root) / 2;
}

double mdc_mean_wait_by_spitzer_s(double arrivals_per_s, double work_s, std::int64_t servers) {
  require_positive("mdc_mean_wait_by_spitzer_s", "arrivals_per_s", arrivals_per_s);
  require_positive("mdc_mean_wait_by_spitzer_s", "work_s", work_s);
  const double a = arrivals_per_s * work_s;
  const auto c = static_cast<double>(servers);
  require(a < c, "mdc_mean_wait_by_spitzer_s", "arrivals_per_s", arrivals_per_s,
          "be below servers / work_s");
  double sum = 0;
  for (double k = 1;; ++k) {
    // E[(N - m)^+] = mean P(N >= m) - m P(N >= m + 1), N Poisson(ka), m = kc.
    const double mean = k * a;
    const double m = k * c;
    const double beyond = boost::math::gamma_p(m + 1, mean);
    const double excess = mean * boost::math::gamma_p_derivative(m + 1, mean) - (m - mean) * beyond;
    sum += excess / k;
    if (excess <= 1e-17 * sum || beyond == 0) break;
  }
  return sum / arrivals_per_s;
}

}  // namespace retrystorm::capacity
