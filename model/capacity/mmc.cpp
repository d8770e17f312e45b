#include "model/capacity/mmc.hpp"

#include "model/capacity/domain.hpp"
#include "model/capacity/erlang_c.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/tools/toms748_solve.hpp>

namespace retrystorm::capacity {

MMc mmc(double arrivals_per_s, double services_per_s, std::int64_t servers) {
  require_positive("mmc", "services_per_s", services_per_s);
  const double erlangs = arrivals_per_s / services_per_s;
  MMc m;
  m.p_wait = erlang_c(erlangs, servers);  // checks the domain
  m.utilisation = erlangs / static_cast<double>(servers);
  m.mean_wait_s = mean_wait_s(arrivals_per_s, services_per_s, servers);
  m.mean_queue = arrivals_per_s * m.mean_wait_s;
  m.mean_in_system = m.mean_queue + erlangs;
  m.mean_sojourn_s = m.mean_wait_s + 1 / services_per_s;
  return m;
}

double mmc_probability(double arrivals_per_s, double services_per_s, std::int64_t servers,
                       std::int64_t n) {
  require_at_least("mmc_probability", "n", static_cast<double>(n), 0);
  require_positive("mmc_probability", "services_per_s", services_per_s);
  const double a = arrivals_per_s / services_per_s;
  const auto c = static_cast<double>(servers);
  // P(n >= c) = C and a geometric tail give p_c = C (1 - rho); the others follow from it.
  const double p_c = erlang_c(a, servers) * (1 - a / c);
  if (n >= servers) return p_c * std::pow(a / c, static_cast<double>(n - servers));
  if (a == 0) return n == 0 ? 1 : 0;
  double p = p_c;
  for (std::int64_t k = servers; k > n; --k) p *= static_cast<double>(k) / a;
  return p;
}

double sojourn_tail(double arrivals_per_s, double services_per_s, std::int64_t servers,
                    double seconds) {
  require_at_least("sojourn_tail", "seconds", seconds, 0);
  const double waiting = mmc(arrivals_per_s, services_per_s, servers).p_wait;
  const double mu = services_per_s;
  const double theta = static_cast<double>(servers) * mu - arrivals_per_s;
  const double work = std::exp(-mu * seconds);
  // C P(Exp(theta) + Exp(mu) > t) + (1 - C) P(Exp(mu) > t); the difference quotient
  // (e^{-theta t} - e^{-mu t})/(mu - theta) goes through expm1, so that theta near mu is no
  // trouble.
  const double x = (mu - theta) * seconds;
  const double quotient =
      std::abs(x) < 1e-12 ? seconds * work : work * std::expm1(x) / (mu - theta);
  return work + waiting * mu * quotient;
}

double sojourn_quantile_s(double arrivals_per_s, double services_per_s, std::int64_t servers,
                          double q) {
  require(q >= 0 && q < 1, "sojourn_quantile_s", "q", q, "be in [0, 1)");
  const auto excess = [&](double t) {
    return std::log(sojourn_tail(arrivals_per_s, services_per_s, servers, t)) - std::log1p(-q);
  };
  if (q == 0) return 0;
  double high = 1 / services_per_s;
  while (excess(high) > 0) high *= 2;
  std::uintmax_t iterations = 200;
  const auto [low_root, high_root] = boost::math::tools::toms748_solve(
      excess, 0.0, high, boost::math::tools::eps_tolerance<double>(52), iterations);
  return (low_root + high_root) / 2;
}

SojournApproximations approximate_sojourn_quantile_s(double arrivals_per_s, double services_per_s,
                                                     std::int64_t servers, double q) {
  const double wait = wait_quantile_s(arrivals_per_s, services_per_s, servers, q);
  return {wait + 1 / services_per_s, wait - std::log1p(-q) / services_per_s};
}

}  // namespace retrystorm::capacity
