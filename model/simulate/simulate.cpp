#include "model/simulate/simulate.hpp"

#include "core/client.hpp"
#include "core/lane.hpp"
#include "core/station.hpp"
#include "model/simulate/sim_counts.hpp"
#include "model/simulate/sim_world.hpp"

#include <algorithm>

namespace retrystorm {
namespace {

// The kinds of event in the order in which they happen at one instant. (Clients' closes would come
// between offers and arrivals; nothing acts on them yet.)
enum class Kind : std::uint8_t { completion, reply, timeout, retry, offer, arrival };

template <typename World>
class Simulation {
 public:
  Simulation(const Scenario& scenario, Arrivals arrivals, Work work, World world)
      : scenario_(scenario),
        world_(std::move(world)),
        horizon_(scenario.simulation.horizon ? instant_at(*scenario.simulation.horizon) : never),
        client_(scenario, std::move(arrivals)),
        station_(scenario, std::move(work)),
        counts_(scenario) {}

  void run() {
    // The client waits this long for what is in flight; the service then finishes what it has.
    run_until(std::min(horizon_, instant_at(scenario_.client.duration + scenario_.drain_limit)));
    cut_client();
    run_until(horizon_);
    cut_service();
  }

  Tally tally() const { return counts_.tally(); }
  SimulationExtremes extremes() const { return {max_in_system_, end_in_system_}; }

  // What the station tells.
  void started(const Job&) {}
  void completed(const Job& job) {
    counts_.completed(job);
    replies_.push({world_.to_client(job.due), job.token, job.arrived, job.due, false});
  }

 private:
  struct Transit {  // an attempt on its way to the service
    Instant at;
    std::uint64_t token;
  };
  struct Reply {  // a reply on its way to the client
    Instant at;
    std::uint64_t token;
    Instant arrived;  // of the attempt, at the service
    Instant written;
    bool refusal;
  };

  void run_until(Instant last) {
    while (step(last)) {
    }
  }

  // Lets the next event happen, if it is not after `last`.
  bool step(Instant last) {
    Instant now = station_.next_due();
    Kind kind = Kind::completion;
    const auto consider = [&](Instant at, Kind of) {
      if (at < now) {
        now = at;
        kind = of;
      }
    };
    if (!replies_.empty()) consider(replies_.front().at, Kind::reply);
    consider(world_.acts_at(client_.next_timeout()), Kind::timeout);
    consider(world_.acts_at(client_.next_retry()), Kind::retry);
    consider(world_.acts_at(client_.next_offer()), Kind::offer);
    if (!arrivals_.empty()) consider(arrivals_.front().at, Kind::arrival);
    if (now > last || now == never) return false;
    switch (kind) {
      case Kind::completion:
        station_.advance(now, *this);
        break;
      case Kind::reply:
        take_reply(now);
        break;
      case Kind::timeout:
        world_.awake(now);
        end_attempt(client_.timeout(now), AttemptOutcome::timed_out, now);
        break;
      case Kind::retry:
        world_.awake(now);
        take(client_.retry(now), now);
        break;
      case Kind::offer:
        world_.awake(now);
        counts_.offered(client_.next_offer());
        take(client_.offer(now), now);
        break;
      case Kind::arrival:
        arrive(now);
        break;
    }
    return true;
  }

  void take(const Step& step, Instant now) {
    if (step.send) {
      counts_.attempted(now);
      arrivals_.push({world_.to_service(now), step.attempt.key.packed()});
    } else {
      counts_.request_ended(step.final, now);
    }
  }

  void end_attempt(AttemptKey key, AttemptOutcome outcome, Instant now) {
    counts_.attempt_ended(outcome, client_.describe(key), now);
    if (const auto final = client_.ended(key, outcome, now)) counts_.request_ended(*final, now);
  }

  void take_reply(Instant now) {
    world_.awake(now);
    const Reply reply = replies_.front();
    replies_.pop();
    const AttemptKey key = AttemptKey::unpack(reply.token);
    const bool in_time = client_.live(key);
    if (in_time) world_.connection_kept();
    if (reply.refusal) {
      if (in_time) end_attempt(key, AttemptOutcome::rejected, now);
    } else if (in_time) {
      counts_.taken();
      end_attempt(key, AttemptOutcome::succeeded, now);
    } else {
      count_untaken(reply);
    }
  }

  void arrive(Instant now) {
    const Transit transit = arrivals_.front();
    arrivals_.pop();
    counts_.arrived();
    if (station_.arrive(transit.token, now, *this) == Admission::refused) {
      counts_.refused(now);
      replies_.push({world_.to_client(now), transit.token, now, now, true});
    }
    max_in_system_ = std::max(max_in_system_, station_.in_system());
  }

  // From here on no client waits. Replies under way belong to attempts that had ended (abandoned),
  // or that are cut with their client.
  void cut_client() {
    end_in_system_ = station_.in_system();
    drop_replies();
    client_.cut(
        [&](const Outgoing& attempt) {
          cut_attempts_.push_back(attempt.key.packed());
          counts_.attempt_cut();
        },
        [&](const Final&) { counts_.request_cut(); });
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
      counts_.completion_cut();
    } else {
      counts_.abandoned(reply.arrived, reply.written);
    }
  }

  void cut_service() {
    drop_replies();
    station_.for_each_unfinished([&](std::uint64_t) { counts_.arrival_unfinished(); });
  }

  const Scenario& scenario_;
  World world_;
  Instant horizon_;
  Client client_;
  Station station_;
  SimCounts counts_;
  typename World::template Transit<Transit> arrivals_;
  typename World::template Transit<Reply> replies_;
  std::vector<std::uint64_t> cut_attempts_;
  std::size_t max_in_system_ = 0;
  std::size_t end_in_system_ = 0;
};

template <typename World>
Tally run_in(World world, const Scenario& scenario, const Replay* replay,
             SimulationExtremes& extremes) {
  Simulation<World> simulation(
      scenario, replay && replay->first_sends ? Arrivals(*replay->first_sends) : Arrivals(scenario),
      replay && replay->work ? Work(*replay->work, scenario.service.work) : Work(scenario),
      std::move(world));
  simulation.run();
  extremes = simulation.extremes();
  return simulation.tally();
}

}  // namespace

Tally simulate(const Scenario& scenario, const SimulateOptions& options,
               SimulationExtremes& extremes) {
  const Duration round_trip = scenario.network.round_trip;
  if (options.noise) {
    const auto seed = static_cast<std::uint64_t>(scenario.seed);
    return run_in(NoisyWorld(round_trip, *options.noise, seed), scenario, options.replay, extremes);
  }
  return run_in(ExactWorld(round_trip), scenario, options.replay, extremes);
}

Tally simulate(const Scenario& scenario, const SimulateOptions& options) {
  SimulationExtremes ignored;
  return simulate(scenario, options, ignored);
}

Tally simulate_band(const Scenario& scenario, int seeds, const SimulateOptions& options) {
  std::vector<Tally> tallies;
  Scenario s = scenario;
  for (int i = 0; i < seeds; ++i, ++s.seed) tallies.push_back(simulate(s, options));
  Tally mean = mean_of(tallies);
  mean.spread = spread_of(tallies);
  return mean;
}

}  // namespace retrystorm
