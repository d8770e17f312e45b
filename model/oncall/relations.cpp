#include "model/oncall/relations.hpp"

#include "model/capacity/erlang_c.hpp"
#include "model/capacity/little.hpp"
#include "model/capacity/processor_sharing.hpp"
#include "model/capacity/ttl_cache.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace retrystorm::oncall {

Load load_of(const Constants& c, const Conditions& now) {
  Load load;
  load.served_per_s = now.requests_per_s * (1 - now.shed_share);

  load.hit_rate = now.warm * capacity::ttl_hit_ratio(load.served_per_s / c.hot_objects, now.ttl);
  const double queries = (1 - load.hit_rate) * (c.queries + c.heavy_queries * now.recommendations);
  load.database_per_s = load.served_per_s * queries + (now.warm_up ? c.warm_up_queries : 0);
  load.database_utilization = load.database_per_s / c.database_limit;
  load.query_time =
      capacity::shared_query_time_s(c.query_time, load.database_utilization, c.query_time_limit);

  const double app_time =
      (c.app_time + c.heavy_app_time * now.recommendations) * (1 + (c.bad_cpu - 1) * now.bad_share);
  load.service_time = app_time + queries * load.query_time;

  const auto workers = static_cast<std::int64_t>(now.serving * c.workers_per_instance);
  const auto n = static_cast<double>(workers);
  const double rate = 1 / load.service_time;  // of one worker
  load.busy_workers = capacity::mean_number(load.served_per_s, load.service_time);
  load.utilization = std::min(1.0, load.busy_workers / n);
  const bool stable = load.served_per_s < n * rate && load.served_per_s / rate < n;
  load.timeouts = stable ? capacity::wait_tail(load.served_per_s, rate, workers, c.timeout)
                         : capacity::unservable_share(load.busy_workers, workers);
  load.error_rate = std::min(1.0, load.timeouts + c.bad_errors * now.bad_share);

  const double wait_p99 =
      stable ? capacity::wait_quantile_s(load.served_per_s, rate, workers, 0.99) : c.timeout;
  load.p99 = std::min(c.timeout, load.service_time * std::log(100.0) + wait_p99);
  return load;
}

double daily_traffic(const Constants& c, double clock) {
  constexpr double minutes_per_day = 24 * 60;
  constexpr double six = 6 * 60;
  return c.base *
         (1 + c.daily_swing * std::sin(2 * std::numbers::pi * (clock - six) / minutes_per_day));
}

double mean_cached_age(double ttl) {
  return ttl / 2;
}

}  // namespace retrystorm::oncall
