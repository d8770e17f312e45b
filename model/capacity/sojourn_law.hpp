// The law of the sojourn in a FIFO service with exponential work, over what arrivals find there:
// the mixture of sojourn.hpp's Erlang waits, whole. Exact; the weights may be a stationary law
// (mmcn.hpp, dmcn.hpp) or what the attempts of a whole run found (markov/transient.hpp).
//
// While all c servers are busy they end work at rate theta = c mu together, and each end is that of
// a given job with probability 1/c. So a sojourn is the time of J ends of a Poisson stream of rate
// theta, J = k + a geometric number, where k = max(0, found - c + 1) ends come before the start; an
// arrival that finds a free server too, since Exp(mu) is a geometric number of steps at c mu. With
// V(i) = P(J <= i), P(sojourn <= t) = E[V(N)], N Poisson(theta t): only positive terms around the
// mode of N. Beyond the largest k, V is geometric and needs no list.
//
// Memory O(room). A value costs some sixteen deviations of N, at most sqrt(room + 45 c) x 25: no
// more for an hour than for the time in which all are done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace retrystorm::capacity {

class SojournLaw {
 public:
  // found[n] >= 0: the weight of admitted arrivals that find n; n = 0 ... found.size() - 1. Any
  // sum.
  SojournLaw(double services_per_s, std::int64_t servers, const std::vector<double>& found);

  // The weight of all.
  double total() const { return total_; }
  // The weight of sojourns of at most t, `seconds` >= 0; exact to its last digits however small.
  double within(double seconds) const;
  // The sum of those sojourns by weight, in seconds: total() E[S; S <= t].
  double sum_within(double seconds) const;

 private:
  double done_by(std::size_t ends) const;       // weight of J <= ends
  double done_ends_by(std::size_t ends) const;  // sum of those J

  double ends_per_s_;
  double servers_;
  double keep_;  // 1 - 1/c
  double total_ = 0;
  double total_ends_ = 0;     // sum of all J
  double in_work_ = 0;        // weight started and not done after the last of the lists
  std::vector<double> done_;  // by J = 0 ... the largest k
  std::vector<double> done_ends_;
};

}  // namespace retrystorm::capacity
