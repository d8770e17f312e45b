// The simulated ledger: Station and Client on virtual time, each event written down.
#include "core/client.hpp"
#include "core/station.hpp"
#include "tests/experiments/report/fixture.hpp"

#include <deque>
#include <map>

namespace retrystorm::fixture {
namespace {

struct Transit {
  Instant at;
  std::uint64_t token;
};

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

class Recorder {
 public:
  Recorder(const Scenario& s)
      : one_way_(s.network.round_trip / 2), client_(s, Arrivals(s)), station_(s, Work(s)) {}

  void run() {
    while (step()) {
    }
  }

  void started(const Job& job) { arrivals_[job.token].job = job; }
  void completed(const Job& job) {
    arrivals_[job.token].job = job;
    arrivals_[job.token].completed = true;
    replies_.push_back({job.due + one_way_, job.token});
  }

  void write(Database& database, const TryKey& key, Instant until) const {
    Transaction transaction(database);
    Statement request(database, "INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?)");
    for (const auto& [number, final] : finals_) {
      if (final.second > until) continue;
      request.run(key.arm, key.repeat, number, nanoseconds_of(final.first.scheduled),
                  nanoseconds_of(final.second), name(final.first.outcome),
                  name(final.first.reason));
    }
    Statement attempt(database, "INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    Statement arrival(database,
                      "INSERT INTO arrivals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const auto& [token, row] : attempts_) {
      const bool known = row.ended && *row.ended <= until;
      if (row.made.sent > until) continue;
      const AttemptOutcome outcome = known ? row.outcome : AttemptOutcome::unfinished;
      const std::int64_t status = outcome == AttemptOutcome::succeeded  ? 200
                                  : outcome == AttemptOutcome::rejected ? 503
                                                                        : 0;
      attempt.run(key.arm, key.repeat, row.made.request, row.made.attempt,
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
    into.run(key.arm, key.repeat, made.request, made.attempt, nanoseconds_of(row.arrived),
             worked ? Time(nanoseconds_of(row.job->picked)) : Time(),
             worked ? Time(nanoseconds_of(row.job->started)) : Time(),
             worked ? Time(nanoseconds_of(row.job->due)) : Time(), finished, replied,
             name(disposition), name(row.refused ? Reason::queue_full : Reason::none),
             name(gone ? SeenGone::at_reply : SeenGone::no));
  }

  bool step() {
    const Instant times[] = {
        station_.next_due(),    replies_.empty() ? never : replies_.front().at,
        client_.next_timeout(), client_.next_retry(),
        client_.next_offer(),   under_way_.empty() ? never : under_way_.front().at};
    const auto* first = std::min_element(std::begin(times), std::end(times));
    const Instant now = *first;
    if (now == never) return false;
    switch (first - std::begin(times)) {
      case 0:
        station_.advance(now, *this);
        break;
      case 1:
        take_reply(now);
        break;
      case 2:
        end(client_.timeout(now), AttemptOutcome::timed_out, now);
        break;
      case 3:
        take(client_.retry(now), now);
        break;
      case 4:
        take(client_.offer(now), now);
        break;
      default:
        arrive(now);
    }
    return true;
  }

  void take(const Step& step, Instant now) {
    if (!step.send) return finish(step.final, now);
    attempts_[step.attempt.key.packed()] = {step.attempt, {}, {}};
    under_way_.push_back({now + one_way_, step.attempt.key.packed()});
  }

  void finish(const Final& final, Instant now) { finals_[final.request] = {final, now}; }

  void end(AttemptKey key, AttemptOutcome outcome, Instant now) {
    attempts_[key.packed()].ended = now;
    attempts_[key.packed()].outcome = outcome;
    if (const auto final = client_.ended(key, outcome, now)) finish(*final, now);
  }

  void take_reply(Instant now) {
    const std::uint64_t token = replies_.front().token;
    replies_.pop_front();
    const AttemptKey key = AttemptKey::unpack(token);
    if (!client_.live(key)) return;
    end(key, arrivals_[token].refused ? AttemptOutcome::rejected : AttemptOutcome::succeeded, now);
  }

  void arrive(Instant now) {
    const std::uint64_t token = under_way_.front().token;
    under_way_.pop_front();
    arrivals_[token].arrived = now;
    if (station_.arrive(token, now, *this) == Admission::refused) {
      arrivals_[token].refused = true;
      replies_.push_back({now + one_way_, token});
    }
  }

  Duration one_way_;
  Client client_;
  Station station_;
  std::deque<Transit> under_way_, replies_;
  std::map<std::uint64_t, AttemptRow> attempts_;
  std::map<std::uint64_t, ArrivalRow> arrivals_;
  std::map<std::uint64_t, std::pair<Final, Instant>> finals_;
};

}  // namespace

void write_ledger(Database& database, const TryKey& key, const Scenario& scenario, Instant until) {
  Recorder recorder(scenario);
  recorder.run();
  recorder.write(database, key, until);
}

}  // namespace retrystorm::fixture
