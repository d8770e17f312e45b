#include "model/capacity/erlang_b.hpp"

#include "model/capacity/domain.hpp"

namespace retrystorm::capacity {

double erlang_b(double offered_erlangs, std::int64_t servers) {
  require_at_least("erlang_b", "offered_erlangs", offered_erlangs, 0);
  require_at_least("erlang_b", "servers", static_cast<double>(servers), 0);
  if (servers == 0) return 1;
  if (offered_erlangs == 0) return 0;
  double inverse = 1;  // 1/B_k; overflows to infinity where B underflows to 0
  for (std::int64_t k = 1; k <= servers; ++k) {
    inverse = 1 + static_cast<double>(k) / offered_erlangs * inverse;
  }
  return 1 / inverse;
}

}  // namespace retrystorm::capacity
