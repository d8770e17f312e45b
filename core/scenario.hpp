// One run, described. Every engine takes the same Scenario and answers with the same Tally.
// Names, ranges and help of each field stand beside its policy, see fields.cpp; the defaults here.
#pragma once

#include "core/held.hpp"
#include "core/outcome.hpp"
#include "core/policy/stage.hpp"
#include "core/recorded.hpp"
#include "core/units.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace retrystorm {

class FieldList;

// The choices of policies; what there is to choose from: policy/disciplines.hpp,
// policy/backoffs.hpp, policy/budgets.hpp.
struct Disciplines;
struct BackoffShapes;
struct Jitters;
struct Budgets;
using Discipline = Held<Disciplines>;
using BackoffShape = Held<BackoffShapes>;
using Jitter = Held<Jitters>;
using RetryBudget = Held<Budgets>;

// How a worker spends its work time: a due time on the steady clock, a sleep that drifts, or real
// CPU.
enum class WorkKind : std::uint8_t { timer, sleep, spin };
// How work times are distributed around `work`.
enum class WorkShape : std::uint8_t { fixed, exponential, lognormal };
// How requests are spaced.
enum class ArrivalProcess : std::uint8_t { even, poisson };
// How think times are distributed around `think`.
enum class ThinkShape : std::uint8_t { fixed, exponential };
// What the Retry-After of a reply is to the client's delay: nothing, the least that it is, or all
// of it.
enum class RetryAfter : std::uint8_t { ignore, honour, exact };
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
  Recorded<RecordedTimes> recorded_work;    // in place of the above: drawn from it, `work` its mean
  std::optional<std::int64_t> queue = 100;  // waiting places; none = "auto", see queue_places()
  Discipline discipline;
  std::int64_t max_connections = 10'000;
  double fail_rate = 0;                                                // of the arrivals
  std::int64_t fail_status = 503;                                      // what they are answered
  std::optional<Duration> send_retry_after = std::chrono::seconds(1);  // of a 503
};

struct ClientSettings {
  double rate = 1000;  // per second; of stages and of recorded arrivals the mean over all
  ArrivalProcess arrivals = ArrivalProcess::even;
  Duration duration = std::chrono::seconds(6);  // of stages the sum
  std::vector<Stage> stages;                    // none: one rate throughout
  Recorded<RecordedInstants> recorded;  // in place of a rate and a duration: they come of it
  std::optional<std::int64_t> users;  // none: an open loop; of a closed one the rate means nothing
  Duration think = Duration::zero();
  ThinkShape think_shape = ThinkShape::fixed;
  Duration timeout = std::chrono::milliseconds(100);
  std::int64_t retries = 0;
  OutcomeSet retry_on = OutcomeSet::of(AttemptOutcome::rejected, AttemptOutcome::timed_out,
                                       AttemptOutcome::connect_error, AttemptOutcome::io_error);
  std::vector<std::string> retry_statuses;  // after which an attempt is retried, too
  std::optional<Duration> deadline;         // over all attempts of a request
  RetryAfter retry_after = RetryAfter::ignore;
  std::optional<Duration> retry_after_max;
  Duration backoff = Duration::zero();  // what the shape starts from
  BackoffShape backoff_shape;
  Duration backoff_cap = std::chrono::seconds(60);  // of a backoff that grows
  Jitter jitter;
  RetryBudget budget;
  std::int64_t callers = 1;  // each with an account of the budget of its own
  Abandon abandon = Abandon::fin;
  std::optional<std::int64_t> max_in_flight;  // none = "auto": as the machine allows
};

// One of several kinds of clients: its share of the requests, and what it does with them. The
// schedule (rate, arrivals, duration, stages, recorded, users, think), callers and max_in_flight
// are the scenario's, for all classes.
struct ClientClass {
  double share = 1;  // counts against the sum of all shares
  ClientSettings client;
  std::vector<std::string> own = {};  // fields that it sets itself: the others follow [client]
  std::optional<Duration> work = {};  // mean work of its requests, in place of the service's
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
  std::optional<Duration> settle;  // none = "auto": a third of the last stage, see settled_from()
  Duration drain_limit = std::chrono::seconds(10);
  ServiceSettings service;
  ClientSettings client;
  NetworkSettings network;
  SimulationSettings simulation;
  std::vector<ClientClass> classes;  // none: all clients are of one, `client`; see classes.hpp
};

// Sets an open loop of one rate, without stages; the duration stays.
void set_rate(Scenario& scenario, double rate);
// True for such a load: not in stages, not recorded, not a closed loop.
bool has_one_rate(const ClientSettings& client);

// Where the last stage begins; the start of a run without stages. What settles does so in it.
Instant last_stage_start(const Scenario& scenario);
// Of a closed loop: what its users offer if nobody has to queue, at most the ceiling.
double closed_loop_rate(const Scenario& scenario);
// The rate at the end of the schedule, per second; of a closed loop as above.
double last_rate(const Scenario& scenario);
// The highest rate of the schedule, per second; of a closed loop as above.
double peak_rate(const Scenario& scenario);
// The scenario with its last stage carried on until `duration`, at the rate it ends with. Requires:
// not shorter than it is.
Scenario carried_on(const Scenario& scenario, Duration duration);

// Where the settled window may begin at the earliest, within the last stage, see settling.hpp.
Instant settled_from(const Scenario& scenario);

// Waiting places whose occupants can still succeed, for workers that finish evenly spaced and serve
// first who came first: max(0, floor((timeout - round_trip - work) x workers / work)). `timeout`
// and `work` > 0.
std::int64_t useful_queue(Duration timeout, Duration round_trip, Duration work,
                          std::int64_t workers);

// The useful queue of the scenario; nothing where its discipline has none: who is overtaken may
// wait for ever, at whatever place it joined. Nor is there one number for classes of clients that
// wait for different times.
std::optional<std::int64_t> useful_queue(const Scenario& scenario);

// How the discipline chooses, in words: "oldest first".
std::string_view discipline_words(const Scenario& scenario);

// The number of waiting places, "auto" resolved: the useful queue at 0.9 x timeout.
std::int64_t queue_places(const Scenario& scenario);

// The mean work of a request: the service's, or that of the classes by their shares.
Duration mean_work(const Scenario& scenario);
// True where a class has work of its own.
bool has_class_work(const Scenario& scenario);
// The longest of the service's and the classes' mean work.
Duration longest_mean_work(const Scenario& scenario);

// The service's ceiling in completions per second: workers / mean work.
double ceiling(const Scenario& scenario);

// The fields of what no policy owns.
void declare_run(FieldList& list);
void declare_workers(FieldList& list);
void declare_connections(FieldList& list);
void declare_timeout(FieldList& list);
void declare_client_limits(FieldList& list);
void declare_network(FieldList& list);
void declare_simulation(FieldList& list);

}  // namespace retrystorm
