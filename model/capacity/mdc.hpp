// M/D/c with room for all, exact: fixed work, Poisson arrivals, FIFO. Finite room: mdcn.hpp.
//
// Crommelin's equation L(t + D) = (L(t) - c)^+ + Poisson(lambda D) makes V = (L - c)^+ the maximum
// of a random walk with steps Poisson(a) - c, so (Spitzer 1956) its generating function is
// exp(sum_j b_j (z^j - 1)), b_j = sum_k P(Poisson(ka) = kc + j)/k. No linear algebra: b comes from
// that sum, or, near saturation where the sum is long, from a Fourier transform of the logarithm
// with its two nearest zeros divided out (Janssen and van Leeuwaarden 2005 treat the same queue by
// transforms). The pmf of V follows by Panjer's recursion and ends in an exactly geometric tail.
#pragma once

#include <cstdint>
#include <vector>

namespace retrystorm::capacity {

class MDc {
 public:
  // `arrivals_per_s` above 0 and below servers / `work_s`.
  MDc(double arrivals_per_s, double work_s, std::int64_t servers);

  double p_wait() const;       // P(L >= c)
  double mean_wait_s() const;  // Little: E[V] / lambda
  // P(W > t). Franx 2001 (Oper. Res. Lett. 29): for (k-1) D <= t < k D it is
  // P(V + Poisson(lambda (kD - t)) >= kc); a sum of positive terms.
  double wait_tail(double seconds) const;
  // E[W; W <= t] in seconds, by quadrature of the tail between the multiples of D, where it is
  // smooth; beyond the first 32 in panels that grow with t.
  double wait_sum_within(double seconds) const;
  // The smallest t with P(W <= t) >= q, q in [0, 1).
  double wait_quantile_s(double q) const;
  // P(L >= n) at an arbitrary instant, and so at arrivals.
  double in_system_tail(std::int64_t n) const;
  // tau > 1 with P(L > n + 1)/P(L > n) -> 1/tau: the root of a (tau - 1) = c ln tau.
  double decay() const { return decay_; }
  // The pmf of V as far as it is not yet geometric; then each is 1/decay() of the one before.
  const std::vector<double>& backlog() const { return backlog_; }

 private:
  double backlog_tail(std::int64_t n) const;  // P(V >= n)

  double arrivals_per_s_;
  double work_s_;
  std::int64_t servers_;
  double decay_ = 0;
  std::vector<double> backlog_;
  std::vector<double> backlog_tail_;  // P(V >= n), n < backlog_.size()
};

// The root tau > 1 of rho (tau - 1) = ln tau, rho in (0, 1).
double mdc_decay(double utilisation);

// The two routes to the pmf of V (a = lambda D erlangs, below c), each as far as it is not yet
// geometric. MDc takes the series when it has fewer than some hundred terms, else the transform.
std::vector<double> mdc_backlog_by_series(double erlangs, std::int64_t servers);
std::vector<double> mdc_backlog_by_transform(double erlangs, std::int64_t servers);

// E[V]/lambda summed directly, EW = (1/lambda) sum_k E[(Poisson(ka) - kc)^+]/k (Spitzer): slow near
// saturation, kept as an independent route.
double mdc_mean_wait_by_spitzer_s(double arrivals_per_s, double work_s, std::int64_t servers);

}  // namespace retrystorm::capacity
