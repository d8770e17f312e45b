#include "model/markov/metastable.hpp"

#include "core/fields.hpp"
#include "model/capacity/domain.hpp"
#include "model/honours.hpp"
#include "model/markov/hitting_time.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace retrystorm {
namespace {

// Of an elimination: what takes some ten seconds, or, with a meter, whatever that lets be.
constexpr double usual_products = 3e10, metered_products = 1e15;

void check(const OrbitChain& c, OrbitState start) {
  using capacity::require;
  capacity::require_positive("OrbitChain", "arrivals_per_s", c.arrivals_per_s);
  capacity::require_positive("OrbitChain", "services_per_s", c.services_per_s);
  capacity::require_positive("OrbitChain", "returns_per_s", c.returns_per_s);
  capacity::require_at_least("OrbitChain", "servers", static_cast<double>(c.servers), 1);
  require(c.room >= c.servers, "OrbitChain", "room", static_cast<double>(c.room),
          "be at least the number of servers");
  require(c.late_from >= 0, "OrbitChain", "late_from", static_cast<double>(c.late_from),
          "be at least 0");
  require(c.again > 0 && c.again < 1, "OrbitChain", "again", c.again, "be in (0, 1)");
  require(start.in_system >= 0 && start.in_system <= c.room && start.orbit >= 0, "OrbitChain",
          "start", static_cast<double>(start.in_system), "be a state of the chain");
}

// Calls step(n, m, rate) for each step from (n, m).
template <typename Step>
void steps_from(const OrbitChain& c, std::int64_t n, std::int64_t m, Step&& step) {
  if (n > 0) step(n - 1, m, static_cast<double>(std::min(n, c.servers)) * c.services_per_s);
  const double fresh = c.arrivals_per_s;
  const double back = static_cast<double>(m) * c.returns_per_s;
  const bool refused = n == c.room;
  const std::int64_t next = refused ? n : n + 1;
  // To orbit, or not: in time, or given up.
  const bool may_return = refused ? c.refused_again : n >= c.late_from && c.late_again;
  const double again = may_return ? c.again : 0;
  if (again > 0) step(next, m + 1, fresh * again);
  if (!refused) step(next, m, fresh * (1 - again));
  if (m > 0) {
    if (again > 0 && !refused) step(next, m, back * again);
    step(next, m - 1, back * (1 - again));
  }
}

// The mean time from `start` to absorption among orbits below `orbits`: `absorbed(n, m)` tells the
// target; a step to orbit `orbits` reaches it too if `top_absorbs`, else that attempt gives up.
template <typename Absorbed>
double solve(const OrbitChain& c, OrbitState start, std::int64_t orbits, bool top_absorbs,
             Absorbed&& absorbed, Meter* meter) {
  const auto rows = static_cast<std::size_t>(c.room + 1);
  const auto columns = static_cast<std::size_t>(orbits);
  // The shorter side runs fastest, so that the band is narrow.
  const bool by_orbit = rows <= columns;
  const auto index = [&](std::int64_t n, std::int64_t m) {
    const auto i = static_cast<std::size_t>(n);
    const auto j = static_cast<std::size_t>(m);
    return by_orbit ? j * rows + i : i * columns + j;
  };
  const std::size_t band = std::min(rows, columns);
  AbsorbedChain chain(rows * columns, band, band + 1, meter ? metered_products : usual_products);
  for (std::int64_t n = 0; n <= c.room; ++n) {
    for (std::int64_t m = 0; m < orbits; ++m) {
      if (absorbed(n, m)) continue;
      const std::size_t from = index(n, m);
      steps_from(c, n, m, [&](std::int64_t to_n, std::int64_t to_m, double rate) {
        if (to_m >= orbits) {
          if (top_absorbs) {
            chain.add_absorption(from, rate);
            return;
          }
          --to_m;  // gives up instead
        }
        if (absorbed(to_n, to_m)) {
          chain.add_absorption(from, rate);
        } else if (to_n != n || to_m != m) {
          chain.add(from, index(to_n, to_m), rate);
        }
      });
    }
  }
  return std::move(chain).mean_times(meter)[index(start.in_system, start.orbit)];
}

// How large the orbits are between which the times run.
struct Orbits {
  explicit Orbits(double collapsed)
      : whole(static_cast<std::int64_t>(std::llround(std::min(1e9, collapsed)))),
        half(std::max<std::int64_t>(
            1, static_cast<std::int64_t>(std::ceil(std::min(1e9, collapsed) / 2 - 1e-9)))),
        most(2 * whole + 40) {}
  std::int64_t whole, half, most;
};

// An elimination of room + 1 by so many states, as solve() does it.
Cost cost_of_chain(const OrbitChain& c, std::int64_t orbits) {
  const auto rows = static_cast<double>(c.room + 1);
  const auto columns = static_cast<double>(orbits);
  const double band = std::min(rows, columns);
  const double states = rows * columns;
  return {price::band_product * states * band * (band + 1) * 1e-9, 8 * states * (2 * band + 6)};
}

// True if the chain knows the disciplines, backoffs and whatever else the scenario has chosen.
bool knows_choices(const Scenario& s) {
  if (!s.classes.empty()) return false;
  const auto all = fields();
  return std::all_of(all.begin(), all.end(), [&](const Field& field) {
    return !field.modelled_by || (field.modelled_by(s) & engine_bit(Engine::markov)) != 0;
  });
}

}  // namespace

double mean_time_to_orbit_s(const OrbitChain& chain, OrbitState start, std::int64_t orbit,
                            Meter* meter) {
  check(chain, start);
  if (start.orbit >= orbit) return 0;
  return solve(
      chain, start, orbit, true, [](std::int64_t, std::int64_t) { return false; }, meter);
}

double mean_time_to_recover_s(const OrbitChain& chain, OrbitState start, std::int64_t most_orbit,
                              Meter* meter) {
  check(chain, start);
  capacity::require(start.orbit <= most_orbit, "mean_time_to_recover_s", "most_orbit",
                    static_cast<double>(most_orbit), "be at least the orbit at the start");
  const auto recovered = [&](std::int64_t n, std::int64_t m) {
    return m == 0 && n <= chain.servers;
  };
  if (recovered(start.in_system, start.orbit)) return 0;
  return solve(chain, start, most_orbit + 1, false, recovered, meter);
}

OrbitChain orbit_chain(const Scenario& s) {
  OrbitChain c;
  c.arrivals_per_s = s.client.rate;
  c.services_per_s = 1 / seconds(s.service.work);
  c.servers = s.service.workers;
  c.room = s.service.workers + queue_places(s);
  const double patience = seconds(s.client.timeout - s.network.round_trip);
  const double late = static_cast<double>(c.servers) * patience * c.services_per_s;
  // A late one among those admitted, or none.
  c.late_from = static_cast<std::int64_t>(
      std::clamp(std::ceil(late - 1e-9), 0.0, static_cast<double>(c.room)));
  const auto r = static_cast<double>(s.client.retries);
  c.again = r / (r + 1);
  c.returns_per_s = 1 / seconds(s.client.timeout + s.client.backoff);
  c.late_again = s.client.retry_on.contains(AttemptOutcome::timed_out);
  c.refused_again = s.client.retry_on.contains(AttemptOutcome::rejected);
  return c;
}

std::optional<double> collapsed_orbit(const OrbitChain& c) {
  if (!c.late_again || c.late_from >= c.room) return std::nullopt;
  const double served = static_cast<double>(c.servers) * c.services_per_s;
  // Per second: with the refused, all that come go to orbit with probability q; without, the late.
  const double returning =
      c.refused_again ? c.again / (1 - c.again) * c.arrivals_per_s : c.again * served;
  if (c.arrivals_per_s + returning <= served) return std::nullopt;
  return returning / c.returns_per_s;
}

std::optional<MetastableTimes> metastable_times(const Scenario& s, Meter* meter) {
  if (s.client.retries == 0 || !knows_choices(s)) return std::nullopt;
  if (!has_one_rate(s.client)) return std::nullopt;  // as the chain has
  const OrbitChain chain = orbit_chain(s);
  const auto collapsed = collapsed_orbit(chain);
  if (!collapsed) return std::nullopt;
  MetastableTimes times;
  times.collapsed_orbit = *collapsed;
  times.approximations = honour(Engine::markov, s, true);
  const Orbits orbits(times.collapsed_orbit);
  const double busy = chain.arrivals_per_s / chain.services_per_s;
  const OrbitState idle{std::min(chain.room, static_cast<std::int64_t>(std::llround(busy))), 0};
  try {
    times.collapse_s = mean_time_to_orbit_s(chain, idle, orbits.half, meter);
    times.recover_s = mean_time_to_recover_s(chain, {chain.room, orbits.whole}, orbits.most, meter);
  } catch (const std::domain_error&) {
    return std::nullopt;  // too large
  }
  return times;
}

Cost metastable_cost(const Scenario& s) {
  if (s.client.retries == 0 || !knows_choices(s)) return {};
  const OrbitChain chain = orbit_chain(s);
  const auto collapsed = collapsed_orbit(chain);
  if (!collapsed) return {};
  const Orbits orbits(*collapsed);
  return cost_of_chain(chain, orbits.half) + cost_of_chain(chain, orbits.most + 1);
}

}  // namespace retrystorm
