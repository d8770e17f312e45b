#include "model/capacity/sojourn.hpp"

#include "model/capacity/domain.hpp"
#include "model/capacity/poisson.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/gamma.hpp>

namespace retrystorm::capacity {

std::vector<double> late_probabilities(double services_per_s, std::int64_t servers,
                                       std::int64_t room, double seconds) {
  require_positive("late_probabilities", "services_per_s", services_per_s);
  require_at_least("late_probabilities", "servers", static_cast<double>(servers), 1);
  require_at_least("late_probabilities", "room", static_cast<double>(room), 0);
  require_at_least("late_probabilities", "seconds", seconds, 0);
  std::vector<double> late(static_cast<std::size_t>(room), std::exp(-services_per_s * seconds));
  if (room <= servers) return late;
  const auto c = static_cast<double>(servers);
  const double mean = c * services_per_s * seconds;            // departures of busy servers by t
  const double keep = (c - 1) / c;                             // (theta - mu)/theta
  const auto most = static_cast<std::size_t>(room - servers);  // the largest k
  // With far more departures than anyone waits for, nobody has not started: the recursion begins at
  // the largest k, with the closed form, where G is 1 (short of it by less than 1e-100). Else it
  // begins at 0 where the Poisson mass is nothing. So the work is O(room), whatever the time.
  const bool all_started = mean > 4 * static_cast<double>(most) + 1000;
  const std::vector<double> pmf =
      poisson_pmf(mean, all_started ? most : std::max(most, poisson_reach(mean, 1e-300)));
  std::vector<double> below(most + 1);  // P(Poisson < k)
  double sum = 0;
  for (std::size_t k = 0; k <= most; ++k) {
    below[k] = sum;
    sum += pmf[k];
  }
  double e = 0;
  if (all_started) {
    e = servers == 1 ? pmf[most] : std::exp(-static_cast<double>(most) * std::log(keep) - mean / c);
  }
  for (std::size_t k = pmf.size() - 1; k >= 1; --k) {
    if (k <= most) {
      late[static_cast<std::size_t>(servers) + k - 1] = std::min(1.0, below[k] + e);
    }
    e = e * keep + pmf[k - 1];
  }
  return late;
}

double late_probability(double services_per_s, std::int64_t servers, std::int64_t found,
                        double seconds) {
  require_positive("late_probability", "services_per_s", services_per_s);
  require_at_least("late_probability", "servers", static_cast<double>(servers), 1);
  require_at_least("late_probability", "found", static_cast<double>(found), 0);
  require_at_least("late_probability", "seconds", seconds, 0);
  const double mu = services_per_s;
  if (found < servers) return std::exp(-mu * seconds);
  if (seconds == 0) return 1;
  const auto k = static_cast<double>(found - servers + 1);
  if (servers == 1) return boost::math::gamma_q(k + 1, mu * seconds);
  const double theta = static_cast<double>(servers) * mu;
  const double rest = (theta - mu) * seconds;
  const double power = k * -std::log1p(-1 / static_cast<double>(servers)) - mu * seconds;
  const double started_in_time = boost::math::gamma_p(k, rest);
  return boost::math::gamma_q(k, theta * seconds) +
         (started_in_time > 0 ? std::exp(power + std::log(started_in_time)) : 0);
}

}  // namespace retrystorm::capacity
