#include "model/capacity/erlang_c.hpp"

#include "model/capacity/domain.hpp"
#include "model/capacity/erlang_b.hpp"

#include <algorithm>
#include <cmath>

namespace retrystorm::capacity {
namespace {

// c mu - lambda, checked.
double spare_rate(const char* function, double arrivals, double services, std::int64_t servers) {
  require_at_least(function, "arrivals_per_s", arrivals, 0);
  require_positive(function, "services_per_s", services);
  const double ceiling = static_cast<double>(servers) * services;
  require(arrivals < ceiling, function, "arrivals_per_s", arrivals,
          "be below servers x services_per_s");
  return ceiling - arrivals;
}

}  // namespace

double erlang_c(double offered_erlangs, std::int64_t servers) {
  require_at_least("erlang_c", "servers", static_cast<double>(servers), 1);
  const auto c = static_cast<double>(servers);
  require(offered_erlangs >= 0 && offered_erlangs < c, "erlang_c", "offered_erlangs",
          offered_erlangs, "be at least 0 and below the number of servers");
  const double b = erlang_b(offered_erlangs, servers);
  return c * b / (c - offered_erlangs * (1 - b));
}

double mean_wait_s(double arrivals_per_s, double services_per_s, std::int64_t servers) {
  const double spare = spare_rate("mean_wait_s", arrivals_per_s, services_per_s, servers);
  return erlang_c(arrivals_per_s / services_per_s, servers) / spare;
}

double wait_tail(double arrivals_per_s, double services_per_s, std::int64_t servers,
                 double seconds) {
  const double spare = spare_rate("wait_tail", arrivals_per_s, services_per_s, servers);
  require_at_least("wait_tail", "seconds", seconds, 0);
  return erlang_c(arrivals_per_s / services_per_s, servers) * std::exp(-spare * seconds);
}

double wait_quantile_s(double arrivals_per_s, double services_per_s, std::int64_t servers,
                       double q) {
  const double spare = spare_rate("wait_quantile_s", arrivals_per_s, services_per_s, servers);
  require(q >= 0 && q < 1, "wait_quantile_s", "q", q, "be in [0, 1)");
  const double waiting = erlang_c(arrivals_per_s / services_per_s, servers);
  return std::max(0.0, std::log(waiting / (1 - q)) / spare);
}

double unservable_share(double offered_erlangs, std::int64_t servers) {
  require_at_least("unservable_share", "offered_erlangs", offered_erlangs, 0);
  require_at_least("unservable_share", "servers", static_cast<double>(servers), 1);
  const auto c = static_cast<double>(servers);
  return offered_erlangs > c ? 1 - c / offered_erlangs : 0;
}

}  // namespace retrystorm::capacity
