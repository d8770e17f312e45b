// A token bucket under Poisson requests: refilled continuously, full at first, one token a request.
#pragma once

#include "model/capacity/domain.hpp"
#include "model/capacity/md1n.hpp"

#include <cstdint>

namespace retrystorm::capacity {

// The share of requests refused for want of a whole token, in the long run. Exactly the blocking of
// M/D/1/burst with work 1/`tokens_per_s`: the tokens missing from a full bucket are that queue's
// unfinished work, so a whole token is there when the work is at most burst - 1.
inline double token_bucket_refused(double requests_per_s, double tokens_per_s, std::int64_t burst) {
  require_positive("token_bucket_refused", "tokens_per_s", tokens_per_s);
  require_at_least("token_bucket_refused", "burst", static_cast<double>(burst), 1);
  return md1n(requests_per_s, 1 / tokens_per_s, burst).p_block;
}

}  // namespace retrystorm::capacity
