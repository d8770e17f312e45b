// The sojourn in M/D/1/N, stationary and exact: what an admitted arrival finds together with how
// much of the work under way is left.
//
// A service that starts with m in the system has m + Poisson(lambda x) after x (FIFO, PASTA), so
// that a found n >= 1 with x done has density lambda sum_m s_m P(Poisson(lambda x) = n - m), where
// s_1 = p_0 + p_1 and s_m = p_m are the starts by number (md1n.hpp's law at departures). Such an
// arrival is done after n works and the rest, n D + D - x; one that finds nobody after D. So up to
// t = j D + u are: all that found n < j, and those of n = j with at most u left. Sums of positive
// terms, but for the last piece, which is the difference of two.
#pragma once

#include <cstdint>
#include <vector>

namespace retrystorm::capacity {

class MD1NSojourn {
 public:
  // `found`: MD1N::p of this queue, refusals last.
  MD1NSojourn(double arrivals_per_s, double work_s, const std::vector<double>& found);

  // P(admitted and sojourn <= t), and E[sojourn; those] in seconds. `seconds` >= 0.
  double within(double seconds) const;
  double sum_within(double seconds) const;

 private:
  struct Place {
    std::int64_t works = 0;  // j
    double rest = 0;         // u
  };
  Place place_of(double seconds) const;
  double density(std::int64_t found, double done_s) const;
  double piece(const Place& at) const;

  double arrivals_per_s_;
  double work_s_;
  std::vector<double> starts_;   // s_m, index m
  std::vector<double> reached_;  // P(arrivals of a whole work >= i)
  std::vector<double> below_;    // [j]: P(found < j)
  std::vector<double> sum_below_;
};

}  // namespace retrystorm::capacity
