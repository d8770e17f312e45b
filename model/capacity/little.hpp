// Little's law, L = lambda R: it holds for any stable system, any discipline, any distribution.
// Source: Little 1961.
#pragma once

#include "model/capacity/domain.hpp"

namespace retrystorm::capacity {

// Mean number in a system that takes `arrivals_per_s` in and keeps each `mean_time_s`.
inline double mean_number(double arrivals_per_s, double mean_time_s) {
  require_at_least("mean_number", "arrivals_per_s", arrivals_per_s, 0);
  require_at_least("mean_number", "mean_time_s", mean_time_s, 0);
  return arrivals_per_s * mean_time_s;
}

// Mean time in a system from its mean number; `arrivals_per_s` above 0.
inline double mean_time_s(double mean_number_in, double arrivals_per_s) {
  require_at_least("mean_time_s", "mean_number_in", mean_number_in, 0);
  require_positive("mean_time_s", "arrivals_per_s", arrivals_per_s);
  return mean_number_in / arrivals_per_s;
}

}  // namespace retrystorm::capacity
