#include "model/capacity/erlang_a.hpp"

#include "model/capacity/domain.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/tools/toms748_solve.hpp>

namespace retrystorm::capacity {

ErlangA::ErlangA(double arrivals_per_s, double services_per_s, std::int64_t servers,
                 double abandons_per_s)
    : arrivals_(arrivals_per_s),
      services_(services_per_s),
      servers_(servers),
      abandons_(abandons_per_s) {
  require_positive("ErlangA", "arrivals_per_s", arrivals_per_s);
  require_positive("ErlangA", "services_per_s", services_per_s);
  require_positive("ErlangA", "abandons_per_s", abandons_per_s);
  require_at_least("ErlangA", "servers", static_cast<double>(servers), 1);
  const auto c = static_cast<double>(servers);
  const auto out = [&](double n) {
    return std::min(n, c) * services_ + std::max(0.0, n - c) * abandons_;
  };
  // Start where births and deaths balance, so that nothing overflows.
  const double full = c * services_;
  const double mode =
      std::floor(arrivals_ < full ? arrivals_ / services_ : c + (arrivals_ - full) / abandons_);
  double sum = 0;
  const auto take = [&](double n, double p) {
    sum += p;
    busy_ += p * std::min(n, c);
    if (n < c) return;
    const auto j = static_cast<std::size_t>(n - c);
    if (j >= waiting_.size()) waiting_.resize(j + 1, 0.0);
    waiting_[j] = p;
    p_wait_ += p;
    mean_queue_ += p * (n - c);
  };
  double p = 1;
  for (double n = mode; p > 0 && n >= 0; --n) {
    take(n, p);
    p *= out(n) / arrivals_;
  }
  p = arrivals_ / out(mode + 1);
  for (double n = mode + 1; p > 1e-30; ++n) {
    take(n, p);
    p *= arrivals_ / out(n + 1);
  }
  for (double& v : waiting_) v /= sum;
  p_wait_ /= sum;
  mean_queue_ /= sum;
  busy_ /= sum;
}

double ErlangA::wait_tail(double seconds) const {
  require_at_least("ErlangA::wait_tail", "seconds", seconds, 0);
  const double patience = std::exp(-abandons_ * seconds);
  const double b = static_cast<double>(servers_) * services_ / abandons_;
  double tail = 0;
  for (std::size_t j = 0; j < waiting_.size(); ++j) {
    if (waiting_[j] == 0) continue;
    tail += waiting_[j] * boost::math::ibeta(b, static_cast<double>(j + 1), patience);
  }
  return patience * tail;
}

double ErlangA::wait_quantile_s(double q) const {
  require(q >= 0 && q < 1, "ErlangA::wait_quantile_s", "q", q, "be in [0, 1)");
  if (p_wait_ <= 1 - q) return 0;
  const auto excess = [&](double t) { return wait_tail(t) - (1 - q); };
  double high = 1 / services_;
  while (excess(high) > 0) high *= 2;
  std::uintmax_t iterations = 200;
  const auto [low_root, high_root] = boost::math::tools::toms748_solve(
      excess, 0.0, high, boost::math::tools::eps_tolerance<double>(50), iterations);
  return (low_root + high_root) / 2;
}

}  // namespace retrystorm::capacity
