#include "model/settled/stationary.hpp"

#include "model/honours.hpp"
#include "model/settled/settled_service.hpp"
#include "model/weighted.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {
namespace {

double places_of(const Scenario& s) {
  return static_cast<double>(s.service.workers + queue_places(s));
}

// The latencies of attempts that succeed, from the law of the sojourn up to what is in time: cells
// of 1/256 of it, the first one an atom (work without a wait).
std::vector<WeightedLatency> success_latencies(const Scenario& s, const SettledService& service,
                                               double epochs_per_s) {
  const double round_trip = seconds(s.network.round_trip);
  const double patience = seconds(s.client.timeout) - round_trip;
  constexpr int cells = 256;
  const bool constant_work =
      service.law() == SettledService::Law::mdcn || service.law() == SettledService::Law::ddcn;
  const double from = constant_work ? std::min(seconds(s.service.work), patience) : 0;
  if (patience <= 0) return {};
  std::vector<double> times;
  for (int i = 0; i <= cells; ++i) times.push_back(from + (patience - from) * i / cells);
  const std::vector<double> cdf = service.sojourn_cdf(epochs_per_s, times);
  std::vector<WeightedLatency> list{{times[0] + round_trip, cdf[0]}};
  for (std::size_t i = 1; i < times.size(); ++i) {
    list.push_back({(times[i - 1] + times[i]) / 2 + round_trip, cdf[i] - cdf[i - 1]});
  }
  return list;
}

// How far one stream of the mean rate may be from retries one by one, where that is known.
std::string error_of_retries(const Scenario& s, const RetryRule& rule) {
  std::string text = fmt::format("retries {}, as one {}stream of their mean rate",
                                 rule.at_once ? "at once" : "long after",
                                 s.client.arrivals == ArrivalProcess::even ? "even " : "");
  if (s.client.arrivals == ArrivalProcess::even) {
    return text +
           ", while they come in volleys: a state in which some are in time and some late may be "
           "wholly late, or end by itself";
  }
  return text + (rule.at_once
                     ? ": attempts within 0.6 %, goodput within 4 %; attempts 2 % too few where "
                       "the round trip is a fifth of the time between departures"
                     : ": attempts within 0.2 %");
}

// The largest value is where the cells end, not a latency anyone had.
Quantiles without_max(Quantiles q) {
  q.max.reset();
  return q;
}

void add_latencies(Tally& t, const Scenario& s, const SettledService& service,
                   const SettledState& state) {
  std::vector<WeightedLatency> successes = success_latencies(s, service, state.epochs_per_s);
  t.attempt = without_max(weighted_quantiles(successes));
  if (s.client.retries > 0) return;  // when a retry was sent is not known
  t.request = t.attempt;
  for (WeightedLatency& l : successes) l.weight *= 1 - state.shares.refused;
  successes.push_back({seconds(s.client.timeout), state.shares.late});
  successes.push_back({seconds(s.network.round_trip), state.shares.refused});
  t.all = without_max(weighted_quantiles(std::move(successes)));
}

}  // namespace

Tally stationary(const Scenario& scenario, bool approximate) {
  Tally t;
  t.engine = "stationary";
  t.approximations = honour(Engine::stationary, scenario, approximate);
  const SettledService service(scenario);
  const RetryRule rule(scenario.client);
  const auto states = settled_states(scenario);
  if (!service.exact()) {
    t.approximations.emplace_back(
        "M/D/c/K has no exact solution: refused share within 1 % from load 0.95 on and 15 % below, "
        "in time within half a point up to load 1.05 and 13 points in deep overload");
  }
  if (rule.retries > 0) {
    t.approximations.emplace_back(error_of_retries(scenario, rule));
  }
  for (const SettledState& state : states) {
    t.fixed_points.push_back({state.attempts_per_s, state.goodput_per_s, state.stable});
  }
  const SettledState& first = states.front();
  t.refused_share = first.refused_per_s / first.attempts_per_s;
  Rates& r = t.settled;
  r.offered_per_s = scenario.client.rate;
  r.goodput_per_s = first.goodput_per_s;
  r.throughput_per_s = first.completed_per_s;
  r.attempts_per_s = first.attempts_per_s;
  r.amplification = first.attempts_per_s / scenario.client.rate;
  if (first.completed_per_s > 0) {
    r.abandoned_share = first.epochs_per_s * first.shares.late / first.completed_per_s;
  }
  add_latencies(t, scenario, service, first);
  return t;
}

std::vector<SettledState> settled_states(const Scenario& scenario) {
  const SettledService service(scenario);
  return settled_states(
      scenario.client.rate, RetryRule(scenario.client),
      [&](double rate) { return service.shares(rate); }, ceiling(scenario), places_of(scenario));
}

std::optional<Folds> folds(const Scenario& scenario) {
  const SettledService service(scenario);
  return folds(
      RetryRule(scenario.client), [&](double rate) { return service.shares(rate); },
      ceiling(scenario), places_of(scenario));
}

}  // namespace retrystorm
