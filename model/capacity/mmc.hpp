// M/M/c with room for all: means, state probabilities, and the sojourn time (wait plus work), exact
// beside the two usual approximations. The wait alone is in erlang_c.hpp, finite room in mmcn.hpp.
#pragma once

#include <cstdint>

namespace retrystorm::capacity {

struct MMc {
  double utilisation = 0;  // of one server
  double p_wait = 0;       // Erlang C
  double mean_queue = 0;   // waiting
  double mean_in_system = 0;
  double mean_wait_s = 0;
  double mean_sojourn_s = 0;
};

// `arrivals_per_s` at least 0 and below servers x `services_per_s` (the rate of one server).
MMc mmc(double arrivals_per_s, double services_per_s, std::int64_t servers);

// Probability of n in the system.
double mmc_probability(double arrivals_per_s, double services_per_s, std::int64_t servers,
                       std::int64_t n);

// P(wait + work > t): the convolution in closed form (the case c mu - lambda = mu has its own).
double sojourn_tail(double arrivals_per_s, double services_per_s, std::int64_t servers,
                    double seconds);

// The exact t with P(wait + work <= t) = q, q in [0, 1): a bracketed root of sojourn_tail().
double sojourn_quantile_s(double arrivals_per_s, double services_per_s, std::int64_t servers,
                          double q);

// What is usually written instead; the exact quantile lies between them once most arrivals wait.
struct SojournApproximations {
  double wait_plus_mean_work_s = 0;      // quantile of the wait + mean work: too low
  double wait_plus_work_quantile_s = 0;  // quantile of the wait + quantile of the work: too high
};
SojournApproximations approximate_sojourn_quantile_s(double arrivals_per_s, double services_per_s,
                                                     std::int64_t servers, double q);

}  // namespace retrystorm::capacity
