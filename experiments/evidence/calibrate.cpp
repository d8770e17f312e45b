#include "experiments/evidence/calibrate.hpp"

#include "core/classes.hpp"
#include "experiments/evidence/quantiles.hpp"
#include "experiments/evidence/try_query.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// A delay's fixed part and the mean of what comes on top.
struct Delay {
  Duration fixed{};
  Duration noise{};
};

Delay delay_of(std::vector<std::int64_t> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::int64_t low = nearest_rank(values, 0.05);
  const std::int64_t high = nearest_rank(values, 0.99);
  double excess = 0;
  double count = 0;
  for (const std::int64_t value : values) {
    if (value < low || value > high) continue;
    excess += static_cast<double>(value - low);
    ++count;
  }
  return {Duration(std::max<std::int64_t>(low, 0)),
          Duration(static_cast<std::int64_t>(excess / std::max(count, 1.0)))};
}

std::vector<std::int64_t> ways_to_service(Database& database, const TryKey& key, bool reused) {
  return integers(
      database, key,
      reused ? "SELECT a.arrived - t.sent FROM attempts t JOIN arrivals a USING (arm, try_number, "
               "request, attempt) WHERE arm = ? AND try_number = ? AND t.reused = 1"
             : "SELECT a.arrived - t.sent FROM attempts t JOIN arrivals a USING (arm, try_number, "
               "request, attempt) WHERE arm = ? AND try_number = ? AND t.reused = 0");
}

template <typename To>
std::vector<To> as(const std::vector<std::int64_t>& values) {
  std::vector<To> result;
  result.reserve(values.size());
  for (const std::int64_t value : values) result.emplace_back(Duration(value));
  return result;
}

}  // namespace

Calibration calibrate(Database& database, const TryKey& key, const Scenario& scenario) {
  Calibration c;
  c.scenario = scenario;
  c.first_sends = as<Instant>(integers(
      database, key,
      "SELECT sent FROM attempts WHERE arm = ? AND try_number = ? AND attempt = 0 ORDER BY sent"));
  const std::vector<std::int64_t> occupancy = integers(
      database, key,
      "SELECT finished - picked FROM arrivals WHERE arm = ? AND try_number = ? AND disposition "
      "= 'completed' "
      "ORDER BY picked, started, rowid");
  c.work = as<Duration>(occupancy);
  // A mean over classes with work of their own would be nobody's.
  if (!occupancy.empty() && !has_class_work(scenario)) {
    double sum = 0;
    for (const std::int64_t work : occupancy) sum += static_cast<double>(work);
    c.scenario.service.work = Duration(std::max<std::int64_t>(
        1000, static_cast<std::int64_t>(sum / static_cast<double>(occupancy.size()))));
  }

  const std::vector<std::int64_t> kept_ways = ways_to_service(database, key, true);
  const std::vector<std::int64_t> new_ways = ways_to_service(database, key, false);
  const Delay to_service = delay_of(kept_ways.empty() ? new_ways : kept_ways);
  const Delay to_client = delay_of(integers(database, key,
                                            "SELECT t.ended - a.replied FROM attempts t JOIN "
                                            "arrivals a USING (arm, try_number, request, attempt) "
                                            "WHERE arm = ? AND try_number = ? AND t.outcome IN "
                                            "('succeeded', 'rejected') AND a.replied IS NOT NULL"));
  c.scenario.network.round_trip = to_service.fixed + to_client.fixed;
  c.noise.path = (to_service.noise + to_client.noise) / 2;
  // What connecting adds: the typical new way against the typical kept one.
  if (!kept_ways.empty() && !new_ways.empty()) {
    const auto median = [](std::vector<std::int64_t> values) {
      std::sort(values.begin(), values.end());
      return nearest_rank(values, 0.5);
    };
    c.noise.connect = Duration(std::max<std::int64_t>(0, median(new_ways) - median(kept_ways)));
  }
  // How late the client's loop wakes shows in how late it ends what timed out, or else in how late
  // it sends.
  std::vector<std::int64_t> late;
  for (std::size_t of = 0; of < class_count(scenario); ++of) {
    const std::int64_t timeout = scenario_of_class(scenario, of).client.timeout.count();
    const std::string sql = fmt::format(
        "SELECT ended - sent - {} FROM attempts WHERE arm = ? AND try_number = ? AND "
        "outcome = 'timed_out' AND class = {} AND ended - sent >= {}",  // not at a deadline
        timeout, of, timeout);
    const std::vector<std::int64_t> of_class = integers(database, key, sql);
    late.insert(late.end(), of_class.begin(), of_class.end());
  }
  if (late.empty()) {
    late = integers(database, key,
                    "SELECT t.sent - r.scheduled FROM attempts t JOIN requests r USING (arm, "
                    "try_number, request) "
                    "WHERE arm = ? AND try_number = ? AND t.attempt = 0");
  }
  c.noise.wake = delay_of(late).noise;
  return c;
}

}  // namespace retrystorm
