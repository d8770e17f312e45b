// The simulated ledger: an observer of the simulation that writes each event down.
#include "model/simulate/sim_world.hpp"
#include "model/simulate/simulation.hpp"
#include "tests/experiments/report/fixture.hpp"

#include <map>

namespace retrystorm::fixture {
namespace {

struct AttemptRow {
  Outgoing made;
  std::optional<Instant> ended;
  AttemptOutcome outcome = AttemptOutcome::unfinished;
};

struct ArrivalRow {
  Instant arrived{};
  std::optional<Job> job;
  bool completed = false;
  bool refused = false;
};

class Recorder : public SimulationObserver {
 public:
  void attempted(const Outgoing& attempt) { attempts_[attempt.key.packed()] = {attempt, {}, {}}; }
  void attempt_ended(AttemptOutcome outcome, const Outgoing& attempt, Instant now) {
    AttemptRow& row = attempts_[attempt.key.packed()];
    row.ended = now;
    row.outcome = outcome;
  }
  void request_ended(const Final& final, Instant now) { finals_[final.request] = {final, now}; }
  void arrived(std::uint64_t token, Instant now) { arrivals_[token].arrived = now; }
  void refused(std::uint64_t token, Reason, Instant) { arrivals_[token].refused = true; }
  void started(const Job& job) { arrivals_[job.token].job = job; }
  void completed(const Job& job) {
    arrivals_[job.token].job = job;
    arrivals_[job.token].completed = true;
  }

  void write(Database& database, const TryKey& key, Instant until) const {
    Transaction transaction(database);
    Statement request(database, "INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?, 0)");
    for (const auto& [number, final] : finals_) {
      if (final.second > until) continue;
      request.run(key.arm, key.try_number, number, nanoseconds_of(final.first.scheduled),
                  nanoseconds_of(final.second), name(final.first.outcome),
                  name(final.first.reason));
    }
    Statement attempt(database, "INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL)");
    Statement arrival(database,
                      "INSERT INTO arrivals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const auto& [token, row] : attempts_) {
      const bool known = row.ended && *row.ended <= until;
      if (row.made.sent > until) continue;
      const AttemptOutcome outcome = known ? row.outcome : AttemptOutcome::unfinished;
      const std::int64_t status = outcome == AttemptOutcome::succeeded  ? 200
                                  : outcome == AttemptOutcome::rejected ? 503
                                                                        : 0;
      attempt.run(key.arm, key.try_number, row.made.request, row.made.attempt,
                  nanoseconds_of(row.made.sent),
                  known ? std::optional(nanoseconds_of(*row.ended)) : std::nullopt, name(outcome),
                  status, 1);
      write_arrival(arrival, key, row.made, arrivals_.at(token), until, outcome);
    }
    transaction.commit();
  }

 private:
  static void write_arrival(Statement& into, const TryKey& key, const Outgoing& made,
                            const ArrivalRow& row, Instant until, AttemptOutcome outcome) {
    if (row.arrived > until) return;
    using Time = std::optional<std::int64_t>;
    const bool worked = row.job && row.job->picked <= until;
    const bool done = row.completed && row.job->due <= until;
    const Time finished = done ? Time(nanoseconds_of(row.job->due)) : Time();
    const Time replied = row.refused ? Time(nanoseconds_of(row.arrived)) : finished;
    const Disposition disposition = row.refused ? Disposition::refused
                                    : done      ? Disposition::completed
                                                : Disposition::unfinished;
    const bool gone = done && outcome == AttemptOutcome::timed_out;
    into.run(key.arm, key.try_number, made.request, made.attempt, nanoseconds_of(row.arrived),
             worked ? Time(nanoseconds_of(row.job->picked)) : Time(),
             worked ? Time(nanoseconds_of(row.job->started)) : Time(),
             worked ? Time(nanoseconds_of(row.job->due)) : Time(), finished, replied,
             name(disposition), name(row.refused ? Reason::queue_full : Reason::none),
             name(gone ? SeenGone::at_reply : SeenGone::no));
  }

  std::map<std::uint64_t, AttemptRow> attempts_;
  std::map<std::uint64_t, ArrivalRow> arrivals_;
  std::map<std::uint64_t, std::pair<Final, Instant>> finals_;
};

}  // namespace

void write_ledger(Database& database, const TryKey& key, const Scenario& scenario, Instant until) {
  Simulation simulation(scenario, Arrivals(scenario), Work(scenario),
                        ExactWorld(scenario.network.round_trip), Recorder());
  simulation.run();
  simulation.observer().write(database, key, until);
}

}  // namespace retrystorm::fixture
