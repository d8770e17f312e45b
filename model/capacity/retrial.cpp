#include "model/capacity/retrial.hpp"

#include "model/capacity/domain.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Dense>

namespace retrystorm::capacity {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The orbit held below `levels` customers: at the top a blocked customer is lost.
Retrial truncated(double lambda, double mu, Index c, double theta, Index levels) {
  // Row c of R_{m+1}, from the top down: r^T = lambda e_c^T (-S_{m+1})^{-1}.
  std::vector<VectorXd> r(static_cast<std::size_t>(levels));
  VectorXd above = VectorXd::Zero(c + 1);  // row c of R_{m+1} A2_{m+1}
  for (Index m = levels - 1;; --m) {
    // -S_m: phases n = busy servers. A customer in orbit takes a free server at rate m theta.
    MatrixXd s = MatrixXd::Zero(c + 1, c + 1);
    const double retry = static_cast<double>(m) * theta;
    for (Index n = 0; n <= c; ++n) {
      double out = static_cast<double>(n) * mu;
      if (n > 0) s(n, n - 1) = -static_cast<double>(n) * mu;
      if (n < c) {
        s(n, n + 1) = -lambda;
        out += lambda + retry;
      } else if (m + 1 < levels) {
        out += lambda;
      }
      s(n, n) = out;
    }
    s.row(c) -= above.transpose();
    if (m == 0) {
      // pi_0 S_0 = 0: left null vector, one equation replaced by the norm.
      MatrixXd a = s.transpose();
      a.row(0).setOnes();
      VectorXd one = VectorXd::Zero(c + 1);
      one(0) = 1;
      VectorXd pi = a.partialPivLu().solve(one);
      Retrial result;
      double sum = 0;
      for (Index level = 0; level < levels; ++level) {
        if (level > 0) pi = pi(c) * r[static_cast<std::size_t>(level)];
        const double mass = pi.sum();
        sum += mass;
        result.p_block += pi(c);
        result.mean_orbit += static_cast<double>(level) * mass;
        for (Index n = 0; n <= c; ++n) result.mean_busy += static_cast<double>(n) * pi(n);
      }
      result.p_block /= sum;
      result.mean_orbit /= sum;
      result.mean_busy /= sum;
      return result;
    }
    VectorXd unit = VectorXd::Zero(c + 1);
    unit(c) = lambda;
    r[static_cast<std::size_t>(m)] = s.transpose().partialPivLu().solve(unit);
    // A2_m: (m, n) -> (m - 1, n + 1) at rate m theta.
    above.setZero();
    for (Index n = 0; n < c; ++n) above(n + 1) = r[static_cast<std::size_t>(m)](n) * retry;
  }
}

}  // namespace

Retrial retrial_queue(double arrivals_per_s, double services_per_s, std::int64_t servers,
                      double retries_per_s) {
  require_positive("retrial_queue", "arrivals_per_s", arrivals_per_s);
  require_positive("retrial_queue", "services_per_s", services_per_s);
  require_positive("retrial_queue", "retries_per_s", retries_per_s);
  require(servers >= 1 && servers <= 1000, "retrial_queue", "servers", static_cast<double>(servers),
          "be from 1 to 1000");
  require(arrivals_per_s < static_cast<double>(servers) * services_per_s, "retrial_queue",
          "arrivals_per_s", arrivals_per_s, "be below servers x services_per_s");
  Retrial before = truncated(arrivals_per_s, services_per_s, servers, retries_per_s, 64);
  for (Index levels = 128; levels <= (1 << 17); levels *= 2) {
    const Retrial now = truncated(arrivals_per_s, services_per_s, servers, retries_per_s, levels);
    if (std::abs(now.mean_orbit - before.mean_orbit) <= 1e-12 * now.mean_orbit) return now;
    before = now;
  }
  require(false, "retrial_queue", "arrivals_per_s", arrivals_per_s,
          "leave the orbit below 100,000 customers");
  return before;
}

}  // namespace retrystorm::capacity
