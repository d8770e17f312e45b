// How long the good state lasts, and how long the bad one: mean times to collapse and to recover in
// the Markov chain of (number in the system, number in orbit).
//
// The chain: M/M/c/N; an attempt that finds `late_from` or more in the system is admitted and late;
// a late or refused attempt, as far as the client retries such, goes to orbit with probability q =
// r/(r+1), which stands for the counter of r retries by its mean, and comes back at rate theta =
// 1/(timeout + backoff). Work,
// timeout and counter are exponential or geometric here and fixed in the scenario, so a time is
// right to its order of magnitude; how it moves with the load is what it is for.
#pragma once

#include "core/scenario.hpp"
#include "model/effort.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

struct OrbitChain {
  double arrivals_per_s = 0;  // first attempts
  double services_per_s = 0;  // of one server
  std::int64_t servers = 0;
  std::int64_t room = 0;       // of the system, those in work included
  std::int64_t late_from = 0;  // finding so many or more, an attempt is late
  double again = 0;            // q
  double returns_per_s = 0;    // theta, of each attempt in orbit
  bool late_again = true;      // whether an attempt that is late may go to orbit
  bool refused_again = true;   // and one that is refused
};

struct OrbitState {
  std::int64_t in_system = 0;
  std::int64_t orbit = 0;
};

// Mean seconds from `start` until the orbit holds `orbit` or more. Throws std::domain_error for
// chains too large to solve (about a hundred thousand states).
double mean_time_to_orbit_s(const OrbitChain& chain, OrbitState start, std::int64_t orbit,
                            Meter* meter = nullptr);

// Mean seconds from `start` until the orbit is empty and at most all servers are busy; the orbit
// holds at most `most_orbit` (beyond it attempts give up).
double mean_time_to_recover_s(const OrbitChain& chain, OrbitState start, std::int64_t most_orbit,
                              Meter* meter = nullptr);

// The scenario as such a chain; `late_from` = ceil(servers x (timeout - round trip)/work).
OrbitChain orbit_chain(const Scenario& scenario);

struct MetastableTimes {
  double collapse_s = 0;       // from an idle orbit to half the collapsed one
  double recover_s = 0;        // from the collapsed orbit and a full queue to an empty orbit
  double collapsed_orbit = 0;  // see collapsed_orbit()
  std::vector<std::string> approximations;  // what the chain takes in place of the scenario's own
};

// The mean orbit that keeps a full service late, so that its attempts fill the orbit again: r x
// rate x (timeout + backoff) where every attempt fails and is retried, less where the refused are
// not. Nothing where there is no such state: late attempts are none, are not retried, or do not
// fill the service.
std::optional<double> collapsed_orbit(const OrbitChain& chain);

// Nothing without a collapsed state, with a discipline or backoff that the chain does not know, or
// for a scenario too large.
std::optional<MetastableTimes> metastable_times(const Scenario& scenario, Meter* meter = nullptr);

// What that takes; nothing where it finds nothing.
Cost metastable_cost(const Scenario& scenario);

boost::json::value to_json(const MetastableTimes& times);

}  // namespace retrystorm
