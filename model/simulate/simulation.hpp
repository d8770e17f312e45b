// The event loop of the simulation: the very machines of the live programs on a virtual clock, and
// an observer that is told what happens. It counts nothing itself: counts, a course over time, a
// ledger are observers.
#pragma once

#include "core/clients.hpp"
#include "core/due_queue.hpp"
#include "core/policy/injection.hpp"
#include "core/policy/retry.hpp"
#include "core/station.hpp"
#include "model/effort.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace retrystorm {

// What the finite-run entries of queueing_reference.json count beside a Tally.
struct SimulationExtremes {
  std::size_t max_in_system = 0;
  std::size_t end_in_system = 0;
};

// What an observer may be told; one that derives from this hides what it listens to. A token is the
// attempt's packed key, which also says its class (class_of() in clients.hpp).
struct SimulationObserver {
  void offered(Instant /*scheduled*/, std::uint8_t /*client_class*/) {}
  void attempted(const Outgoing&) {}
  void attempt_ended(AttemptOutcome, const Outgoing&, Instant /*now*/) {}
  void request_ended(const Final&, Instant /*now*/) {}
  void arrived(std::uint64_t /*token*/, Instant /*now*/) {}
  void refused(std::uint64_t /*token*/, Reason, Instant /*now*/) {}
  void started(const Job&) {}
  void completed(const Job&) {}
  void taken(std::uint64_t /*token*/) {}
  // The reply of such a job found its client gone.
  void abandoned(std::uint64_t /*token*/, Instant /*arrived*/, Instant /*finished*/) {}
  // The cut: what was in flight, open, completed for them, or in the service then.
  void attempt_cut(const Outgoing&) {}
  void request_cut(const Final&) {}
  void completion_cut(std::uint64_t /*token*/) {}
  void arrival_unfinished(std::uint64_t /*token*/) {}
};

// The kinds of event in the order in which they happen at one instant. (Clients' closes would come
// between offers and arrivals; nothing acts on them yet.)
enum class SimulationEvent : std::uint8_t { completion, reply, timeout, retry, offer, arrival };

// `Users`: a Client, or Clients where the scenario has several classes of them. Chosen once a run,
// so that one class costs what it did without the others.
template <typename World, typename Observer, typename Users = Client>
class Simulation {
 public:
  Simulation(const Scenario& scenario, Arrivals arrivals, Work work, World world, Observer observer,
             Meter* meter = nullptr)
      : scenario_(scenario),
        meter_(meter),
        world_(std::move(world)),
        horizon_(scenario.simulation.horizon ? instant_at(*scenario.simulation.horizon) : never),
        client_(scenario, std::move(arrivals)),
        refusal_{503, sent_retry_after(scenario.service)},
        injection_(scenario),
        injected_(answer_of_injected(scenario)),
        station_(with_timed_work(scenario), std::move(work)),
        observer_(std::move(observer)) {
    for (const ClientClass& one : scenario.classes) {
      class_work_.push_back(one.work.value_or(Duration::zero()));
    }
  }

  void run() {
    // The client waits this long for what is in flight; the service then finishes what it has.
    run_until(std::min(horizon_, instant_at(scenario_.client.duration + scenario_.drain_limit)));
    cut_client();
    run_until(horizon_);
    cut_service();
  }

  // Lets all happen that does up to `last`, for runs that nobody ends.
  void advance_to(Instant last) { run_until(std::min(horizon_, last)); }

  Observer& observer() { return observer_; }
  SimulationExtremes extremes() const { return {max_in_system_, end_in_system_}; }

  // What the station asks, of clients in classes, and tells.
  Duration work_of(std::uint64_t token) const requires(!std::is_same_v<Users, Client>) {
    return class_work_[class_of(AttemptKey::unpack(token), class_work_.size())];
  }
  void started(const Job& job) { observer_.started(job); }
  void completed(const Job& job) {
    observer_.completed(job);
    replies_.push({world_.to_client(job.due), job.token, job.arrived, job.due, false, false});
  }

 private:
  struct Travelling {  // an attempt on its way to the service
    Instant due;
    std::uint64_t token;
    bool injected;  // it will be failed on purpose
  };
  struct Reply {  // a reply on its way to the client
    Instant due;
    std::uint64_t token;
    Instant arrived;  // of the attempt, at the service
    Instant written;
    bool refusal;
    bool injected;
  };
  // As the live service replies.
  static AttemptAnswer answer_of_injected(const Scenario& scenario) {
    const auto status = static_cast<std::uint16_t>(scenario.service.fail_status);
    if (status == 503) return {status, sent_retry_after(scenario.service)};
    return {status, std::nullopt};
  }

  // In virtual time nobody wakes late and no work takes longer than drawn: what sleeps or spins is
  // done when it is due, as a timer's.
  static Scenario with_timed_work(Scenario scenario) {
    scenario.service.work_kind = WorkKind::timer;
    return scenario;
  }

  void run_until(Instant last) {
    while (step(last)) {
    }
  }

  // Lets the next event happen, if it is not after `last`.
  bool step(Instant last) {
    const Instant timeout = client_.next_timeout();
    const Instant retry = client_.next_retry();
    const Instant offer = client_.next_offer();
    world_.sleeps_until(std::min({timeout, retry, offer}));
    Instant now = station_.next_due();
    SimulationEvent kind = SimulationEvent::completion;
    const auto consider = [&](Instant at, SimulationEvent of) {
      if (at < now) {
        now = at;
        kind = of;
      }
    };
    consider(replies_.next(), SimulationEvent::reply);
    consider(world_.acts_at(timeout, now_), SimulationEvent::timeout);
    consider(world_.acts_at(retry, now_), SimulationEvent::retry);
    consider(world_.acts_at(offer, now_), SimulationEvent::offer);
    consider(arrivals_.next(), SimulationEvent::arrival);
    if (now > last || now == never) return false;
    now_ = now;
    switch (kind) {
      case SimulationEvent::completion:
        station_.advance(now, *this);
        break;
      case SimulationEvent::reply:
        take_reply(now);
        break;
      case SimulationEvent::timeout:
        world_.awake(now);
        end_attempt(client_.timeout(now), AttemptOutcome::timed_out, now);
        break;
      case SimulationEvent::retry:
        world_.awake(now);
        take(client_.retry(now), now);
        break;
      case SimulationEvent::offer:
        world_.awake(now);
        observer_.offered(client_.next_offer(), client_.next_class());
        take(client_.offer(now), now);
        break;
      case SimulationEvent::arrival:
        arrive(now);
        break;
    }
    return true;
  }

  void take(const Step& step, Instant now) {
    spend(meter_, price::attempt);
    if (step.send) {
      observer_.attempted(step.attempt);
      const bool injected =
          injection_.on() && injection_.fails(step.attempt.request, step.attempt.attempt);
      arrivals_.push({world_.to_service(now), step.attempt.key.packed(), injected});
    } else {
      observer_.request_ended(step.final, now);
    }
  }

  void end_attempt(AttemptKey key, AttemptOutcome outcome, Instant now,
                   const AttemptAnswer& answer = {}) {
    observer_.attempt_ended(outcome, client_.describe(key), now);
    if (const auto final = client_.ended(key, outcome, now, answer)) {
      observer_.request_ended(*final, now);
    }
  }

  void take_reply(Instant now) {
    world_.awake(now);
    const Reply reply = replies_.front();
    replies_.pop();
    const AttemptKey key = AttemptKey::unpack(reply.token);
    const bool in_time = client_.live(key);
    if (in_time) world_.connection_kept();
    if (reply.refusal) {
      if (!in_time) return;
      const AttemptAnswer& answer = reply.injected ? injected_ : refusal_;
      end_attempt(key, outcome_of(answer.status), now, answer);
    } else if (in_time) {
      observer_.taken(reply.token);
      end_attempt(key, AttemptOutcome::succeeded, now);
    } else {
      count_untaken(reply);
    }
  }

  void arrive(Instant now) {
    const auto [due, token, injected] = arrivals_.front();
    arrivals_.pop();
    observer_.arrived(token, now);
    if (injected) return refuse(token, Reason::injected, now);
    const Admitted admitted = station_.arrive(token, now, *this);
    if (admitted.state == Admission::refused) {
      refuse(token, admitted.reason, now);
    }
    max_in_system_ = std::max(max_in_system_, station_.in_system());
  }

  void refuse(std::uint64_t token, Reason reason, Instant now) {
    observer_.refused(token, reason, now);
    replies_.push({world_.to_client(now), token, now, now, true, reason == Reason::injected});
  }

  // From here on no client waits. Replies under way belong to attempts that had ended (abandoned),
  // or that are cut with their client.
  void cut_client() {
    end_in_system_ = station_.in_system();
    drop_replies();
    client_.cut(
        [&](const Outgoing& attempt) {
          cut_attempts_.push_back(attempt.key.packed());
          observer_.attempt_cut(attempt);
        },
        [&](const Final& final) { observer_.request_cut(final); });
    std::sort(cut_attempts_.begin(), cut_attempts_.end());
  }

  void drop_replies() {
    for (; !replies_.empty(); replies_.pop()) {
      if (!replies_.front().refusal) count_untaken(replies_.front());
    }
  }

  // A completion that no client takes: cut off with its attempt, or abandoned before.
  void count_untaken(const Reply& reply) {
    if (client_.live(AttemptKey::unpack(reply.token)) ||
        std::binary_search(cut_attempts_.begin(), cut_attempts_.end(), reply.token)) {
      observer_.completion_cut(reply.token);
    } else {
      observer_.abandoned(reply.token, reply.arrived, reply.written);
    }
  }

  void cut_service() {
    drop_replies();
    station_.for_each_unfinished([&](std::uint64_t token) { observer_.arrival_unfinished(token); });
  }

  const Scenario& scenario_;
  Meter* meter_;
  World world_;
  Instant horizon_;
  Instant now_{};
  Users client_;
  AttemptAnswer refusal_;  // what a refused attempt's client reads
  Injection injection_;
  AttemptAnswer injected_;  // and one whose attempt failed on purpose
  Station station_;
  Observer observer_;
  DueQueue<Travelling> arrivals_;
  DueQueue<Reply> replies_;
  std::vector<std::uint64_t> cut_attempts_;
  std::vector<Duration> class_work_;  // 0: the service's
  std::size_t max_in_system_ = 0;
  std::size_t end_in_system_ = 0;
};

}  // namespace retrystorm
