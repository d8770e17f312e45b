#include "model/settled/stationary.hpp"

#include "model/honours.hpp"
#include "model/latencies.hpp"
#include "model/settled/settled_service.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {
namespace {

double places_of(const Scenario& s) {
  return static_cast<double>(s.service.workers + queue_places(s));
}

// Retries so rare that every percentile here is that of a service without them.
bool hardly_any_retry(const Scenario& s, const SettledState& state) {
  return s.client.retries == 0 || state.shares.refused + state.shares.late < 1e-5;
}

// Of the two ends: some laws are long to solve at few attempts, others at many.
Cost dearest(const SettledService& service, double low, double high) {
  const Cost a = service.cost(low);
  const Cost b = service.cost(high);
  return {std::max(a.seconds, b.seconds), std::max(a.bytes, b.bytes)};
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

// The latencies stay empty where their law is not known.
void add_latencies(Tally& t, const Scenario& s, const SettledService& service,
                   const SettledState& state) {
  if (!hardly_any_retry(s, state)) return;
  const auto sojourns = service.sojourns(state.epochs_per_s);
  if (!sojourns) return;
  const Patience patience{seconds(s.client.timeout), seconds(s.network.round_trip)};
  t.request = t.attempt = success_latencies(*sojourns, patience);
  t.all = outcome_latencies(*sojourns, state.shares.refused, patience);
}

}  // namespace

Tally stationary(const Scenario& scenario, bool approximate, Meter* meter) {
  Tally t;
  t.engine = "stationary";
  t.approximations = honour(Engine::stationary, scenario, approximate);
  const bool very_scenario = t.approximations.empty();
  const SettledService service(scenario, meter);
  const RetryRule rule(scenario.client);
  const auto states = settled_states(scenario, meter);
  if (!service.exact()) {
    t.approximations.emplace_back(
        "M/D/c/K has no exact solution: refused share within 1 % from load 0.95 on and 15 % below, "
        "in time within half a point up to load 1.05 and 13 points in deep overload; latencies "
        "only where fewer than one in 100,000 are refused, since M/D/c is exact there");
  }
  if (rule.retries > 0) {
    t.approximations.push_back(error_of_retries(scenario, rule) +
                               "; latencies only where fewer than one attempt in 100,000 fails");
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
  if (very_scenario) add_latencies(t, scenario, service, first);
  return t;
}

std::vector<SettledState> settled_states(const Scenario& scenario, Meter* meter) {
  const SettledService service(scenario, meter);
  return settled_states(
      scenario.client.rate, RetryRule(scenario.client),
      [&](double rate) { return service.shares(rate); }, ceiling(scenario), places_of(scenario));
}

std::optional<Folds> folds(const Scenario& scenario, Meter* meter) {
  const SettledService service(scenario, meter);
  return folds(
      RetryRule(scenario.client), [&](double rate) { return service.shares(rate); },
      ceiling(scenario), places_of(scenario));
}

Cost stationary_cost(const Scenario& scenario) {
  const double rate = scenario.client.rate;
  const auto attempts = static_cast<double>(scenario.client.retries + 1);
  const double once = scenario.client.retries == 0 ? 1 : looks_at_load_curve;
  return once * dearest(SettledService(scenario), rate, rate * attempts) +
         Cost{price::latencies * 1e-9, 0};
}

// The folds are looked for from a fifth of the ceiling to twice the ceiling.
Cost folds_cost(const Scenario& scenario) {
  if (scenario.client.retries == 0) return {};
  const auto attempts = static_cast<double>(scenario.client.retries + 1);
  return looks_at_load_curve * dearest(SettledService(scenario), 0.2 * ceiling(scenario),
                                       2 * ceiling(scenario) * attempts);
}

}  // namespace retrystorm
