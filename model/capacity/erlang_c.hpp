// Erlang C: waiting in M/M/c with room for all. Sojourn times (wait plus work) are in mmc.hpp.
#pragma once

#include <cstdint>

namespace retrystorm::capacity {

// Probability that an arrival waits. `offered_erlangs` at least 0 and below `servers`.
// Source: Erlang 1917; C = cB/(c - a(1 - B)) with B = erlang_b(a, c).
double erlang_c(double offered_erlangs, std::int64_t servers);

// The wait before service in M/M/c: `arrivals_per_s` below servers x `services_per_s`, the rate
// of one server. P(W > t) = C exp(-(c mu - lambda) t).
double mean_wait_s(double arrivals_per_s, double services_per_s, std::int64_t servers);
double wait_tail(double arrivals_per_s, double services_per_s, std::int64_t servers,
                 double seconds);

// The smallest t with P(W <= t) >= q, q in [0, 1): ln(C/(1 - q))/(c mu - lambda), or 0.
double wait_quantile_s(double arrivals_per_s, double services_per_s, std::int64_t servers,
                       double q);

// The share of the offered load that no number of waiting places can save: 1 - c/a, 0 below
// saturation. What Erlang C leaves open when `offered_erlangs` reaches `servers`.
double unservable_share(double offered_erlangs, std::int64_t servers);

}  // namespace retrystorm::capacity
