// The mean time of a query on a server that all queries share.
#pragma once

#include "model/capacity/domain.hpp"

#include <algorithm>
#include <limits>

namespace retrystorm::capacity {

// s/(1 - rho), the mean of M/M/1 and of M/G/1 under processor sharing (Kleinrock 1976), at most
// `most_s`. `work_s` alone on the server; `utilisation` at least 0, and below 1 unless `most_s` is
// finite, which then is the answer.
inline double shared_query_time_s(double work_s, double utilisation,
                                  double most_s = std::numeric_limits<double>::infinity()) {
  require_positive("shared_query_time_s", "work_s", work_s);
  require(utilisation >= 0 && (utilisation < 1 || most_s < std::numeric_limits<double>::infinity()),
          "shared_query_time_s", "utilisation", utilisation, "be at least 0 and below 1");
  return utilisation < 1 ? std::min(most_s, work_s / (1 - utilisation)) : most_s;
}

}  // namespace retrystorm::capacity
