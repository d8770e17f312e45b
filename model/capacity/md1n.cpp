#include "model/capacity/md1n.hpp"

#include "model/capacity/domain.hpp"
#include "model/capacity/poisson.hpp"

#include <algorithm>

namespace retrystorm::capacity {

MD1N md1n(double arrivals_per_s, double work_s, std::int64_t room, Meter* meter) {
  require_positive("md1n", "arrivals_per_s", arrivals_per_s);
  require_positive("md1n", "work_s", work_s);
  require_at_least("md1n", "room", static_cast<double>(room), 1);
  const double a = arrivals_per_s * work_s;
  const auto size = static_cast<std::size_t>(room);
  const std::vector<double> pmf = poisson_pmf(a, std::max(size + 1, poisson_reach(a, 1e-300)));
  const std::vector<double> at_least = upper_sums(pmf);     // P(A >= n)
  const std::vector<double> excess = upper_sums(at_least);  // excess[n] = E[(A - n + 1)^+]

  const auto reach =
      static_cast<std::size_t>(std::find(at_least.begin(), at_least.end(), 0.0) - at_least.begin());
  // Left behind by a departure: 0 ... N - 1. Flow up across j|j+1 = flow down, pi_{j+1} P(A = 0).
  std::vector<double> pi(size, 0.0);
  pi[0] = 1;
  for (std::size_t j = 0; j + 1 < size; ++j) {
    double up = pi[0] * at_least[j + 1];
    // So many arrivals in one work time have no probability left: at_least is 0 beyond.
    const std::size_t first = j + 2 > reach ? std::max<std::size_t>(1, j + 2 - reach) : 1;
    spend(meter, price::band_product * static_cast<double>(j + 1 - first) + price::law_state);
    for (std::size_t i = first; i <= j; ++i) up += pi[i] * at_least[j + 2 - i];
    pi[j + 1] = up / pmf[0];
    if (pi[j + 1] > 1e200) {  // overload: the scale is free
      for (std::size_t i = 0; i <= j + 1; ++i) pi[i] *= 1e-200;
      spend(meter, price::band_product * static_cast<double>(j));
    }
  }
  double sum = 0;
  for (const double v : pi) sum += v;
  double refused = 0;  // between two departures
  for (std::size_t i = 0; i < size; ++i) {
    pi[i] /= sum;
    const std::size_t free = i == 0 ? size - 1 : size - i;
    refused += pi[i] * excess[free + 1];
  }
  MD1N m;
  const double arrivals = pi[0] + a;  // between two departures
  m.p.resize(size + 1);
  for (std::size_t n = 0; n < size; ++n) m.p[n] = pi[n] / arrivals;
  m.p_block = m.p[size] = refused / arrivals;
  double queue = 0;
  for (std::size_t n = 1; n <= size; ++n) {
    m.mean_in_system += static_cast<double>(n) * m.p[n];
    queue += static_cast<double>(n - 1) * m.p[n];
  }
  m.mean_wait_accepted_s = queue / (arrivals_per_s * (1 - m.p_block));
  return m;
}

}  // namespace retrystorm::capacity
