// The sojourn of an arrival that finds n in a FIFO service with exponential work: an Erlang wait
// plus its own work. What stationary (mmcn.hpp, dmcn.hpp) and transient (markov/transient.hpp)
// models share.
#pragma once

#include <cstdint>
#include <vector>

namespace retrystorm::capacity {

// P(sojourn > t) for an arrival that finds n, n = 0 ... room - 1 in turn, where `room` is that
// of the system (the work of each server ends at rate `services_per_s`). O(room) for any time, and
// only sums of positive terms: a tail of 1e-300 is as exact as one of 0.1.
//
// For n < c it is e^{-mu t}. For n >= c, k = n - c + 1 departures at rate theta = c mu come first:
// P(> t) = P(Poisson(theta t) < k) + e_k, where e_k = P(started by t, not finished) obeys
// e_{k-1} = e_k (theta - mu)/theta + P(Poisson(theta t) = k - 1), a contraction run downwards
// (derived from the closed form below; it holds for theta = mu, where c = 1, as well).
std::vector<double> late_probabilities(double services_per_s, std::int64_t servers,
                                       std::int64_t room, double seconds);

// The same for one n by the closed form with the regularised lower incomplete gamma function G:
// P(<= t) = G_k(theta t) - e^{-mu t} (theta/(theta - mu))^k G_k((theta - mu) t), the power in
// logarithms; c = 1 is G_{k+1}(mu t). Loses digits where the tail is small, and all of them where
// G_k underflows (k in the thousands).
double late_probability(double services_per_s, std::int64_t servers, std::int64_t found,
                        double seconds);

}  // namespace retrystorm::capacity
