// Poisson probabilities in bulk: what nearly every model here sums over.
#pragma once

#include <cstddef>
#include <vector>

namespace retrystorm::capacity {

// P(N = 0), ..., P(N = most) for mean `mean` >= 0. Scaled from the mode outwards, so that no mean
// is too large; relative error about 1e-15 x distance from the mode.
std::vector<double> poisson_pmf(double mean, std::size_t most);

// A number that N exceeds with probability below `tail`: a bound by Chernoff, not the quantile.
std::size_t poisson_reach(double mean, double tail);

// Suffix sums: result[n] = pmf[n] + pmf[n+1] + ...; `beyond` = the mass after the last.
std::vector<double> upper_sums(const std::vector<double>& pmf, double beyond = 0);

}  // namespace retrystorm::capacity
