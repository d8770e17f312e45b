// One run, described. Every engine takes the same Scenario and answers with the same Tally.
// Names, units, ranges and help of each field stand in core/fields.cpp; the defaults stand here.
#pragma once

#include "core/outcome.hpp"
#include "core/units.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace retrystorm {

// How a worker spends its work time: a due time on the steady clock, a sleep that drifts, or real
// CPU.
enum class WorkKind : std::uint8_t { timer, sleep, spin };
// How work times are distributed around `work`.
enum class WorkShape : std::uint8_t { fixed, exponential, lognormal };
// In which order waiting requests are served.
enum class Discipline : std::uint8_t { fifo };
// How requests are spaced.
enum class ArrivalProcess : std::uint8_t { even, poisson };
// How a client leaves after a timeout: an orderly close, or a reset.
enum class Abandon : std::uint8_t { fin, rst };
// Whether the first request comes at the start or one gap after it.
enum class FirstArrival : std::uint8_t { zero, gap };

struct ServiceSettings {
  std::int64_t workers = 20;
  Duration work = std::chrono::milliseconds(20);
  WorkKind work_kind = WorkKind::timer;
  WorkShape work_shape = WorkShape::fixed;
  double work_cv = 1.0;                     // coefficient of variation, for lognormal
  std::optional<std::int64_t> queue = 100;  // waiting places; none = "auto", see queue_places()
  Discipline discipline = Discipline::fifo;
  std::int64_t max_connections = 10'000;
};

struct ClientSettings {
  double rate = 1000;  // per second
  ArrivalProcess arrivals = ArrivalProcess::even;
  Duration duration = std::chrono::seconds(6);
  Duration timeout = std::chrono::milliseconds(100);
  std::int64_t retries = 0;
  OutcomeSet retry_on = OutcomeSet::of(AttemptOutcome::rejected, AttemptOutcome::timed_out,
                                       AttemptOutcome::connect_error, AttemptOutcome::io_error);
  Duration backoff = Duration::zero();
  Abandon abandon = Abandon::fin;
  std::optional<std::int64_t> max_in_flight;  // none = "auto": as the machine allows
};

struct NetworkSettings {
  Duration round_trip = std::chrono::microseconds(200);
};

struct SimulationSettings {
  std::optional<Duration> horizon;  // events after it are not counted
  FirstArrival first_arrival = FirstArrival::zero;
};

struct Scenario {
  std::int64_t seed = 1;
  std::optional<Duration> settle;  // none = "auto": a third of the duration, see settled_from()
  Duration drain_limit = std::chrono::seconds(10);
  ServiceSettings service;
  ClientSettings client;
  NetworkSettings network;
  SimulationSettings simulation;
};

// Where the settled window [settle, duration) begins.
Instant settled_from(const Scenario& scenario);

// Waiting places whose occupants can still succeed, for workers that finish evenly spaced:
// max(0, floor((timeout - round_trip - work) x workers / work)). `timeout` and `work` > 0.
std::int64_t useful_queue(Duration timeout, Duration round_trip, Duration work,
                          std::int64_t workers);

// The useful queue of the scenario.
std::int64_t useful_queue(const Scenario& scenario);

// The number of waiting places, "auto" resolved: the useful queue at 0.9 x timeout.
std::int64_t queue_places(const Scenario& scenario);

// The service's ceiling in completions per second: workers / work.
double ceiling(const Scenario& scenario);

}  // namespace retrystorm
