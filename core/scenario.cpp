#include "core/scenario.hpp"

#include "core/classes.hpp"
#include "core/field_list.hpp"
#include "core/field_tables.hpp"
#include "core/policy/disciplines.hpp"

#include <algorithm>

namespace retrystorm {

void set_rate(Scenario& s, double rate) {
  s.client.rate = rate;
  s.client.stages.clear();
  s.client.recorded = {};
  s.client.users.reset();
}

bool has_one_rate(const ClientSettings& client) {
  return client.stages.empty() && !client.recorded && !client.users;
}

Instant last_stage_start(const Scenario& s) {
  if (s.client.stages.empty()) return {};
  return instant_at(s.client.duration - s.client.stages.back().length);
}

double closed_loop_rate(const Scenario& s) {
  const Duration cycle = s.client.think + s.network.round_trip + mean_work(s);
  return std::min(static_cast<double>(s.client.users.value_or(0)) / seconds(cycle), ceiling(s));
}

double last_rate(const Scenario& s) {
  if (s.client.users) return closed_loop_rate(s);
  return s.client.stages.empty() ? s.client.rate : end_rate(s.client.stages.back());
}

double peak_rate(const Scenario& s) {
  if (s.client.users) return closed_loop_rate(s);
  if (s.client.stages.empty()) return s.client.rate;
  double peak = 0;
  for (const Stage& stage : s.client.stages) {
    peak = std::max({peak, start_rate(stage), end_rate(stage)});
  }
  return peak;
}

Scenario carried_on(const Scenario& scenario, Duration duration) {
  Scenario s = scenario;
  const Duration more = duration - s.client.duration;
  s.client.duration = duration;
  if (s.client.stages.empty() || more == Duration::zero()) return s;
  Stage& last = s.client.stages.back();
  if (last.from == last.to) {
    last.length += more;
  } else {
    s.client.stages.push_back({"", last.to, last.to, more});
  }
  s.client.rate = mean_rate(s.client.stages);
  return s;
}

Instant settled_from(const Scenario& scenario) {
  const Instant start = last_stage_start(scenario);
  if (scenario.settle) return std::max(start, instant_at(*scenario.settle));
  return start + (instant_at(scenario.client.duration) - start) / 3;
}

std::int64_t useful_queue(Duration timeout, Duration round_trip, Duration work,
                          std::int64_t workers) {
  const Duration spare = timeout - round_trip - work;
  if (spare <= Duration::zero()) return 0;
  // 128 bits: an hour in ns times a million workers does not fit 64.
  __extension__ using Wide = __int128;
  const Wide places = static_cast<Wide>(spare.count()) * workers / work.count();
  return static_cast<std::int64_t>(std::min<Wide>(places, INT64_MAX));
}

std::optional<std::int64_t> useful_queue(const Scenario& s) {
  const bool has_one = s.service.discipline->visit(
      [](const auto& d) { return std::decay_t<decltype(d)>::has_useful_queue; });
  if (!has_one || has_class_work(s)) return std::nullopt;
  const Duration timeout = longest_timeout(s);
  if (timeout != shortest_timeout(s)) return std::nullopt;
  return useful_queue(timeout, s.network.round_trip, s.service.work, s.service.workers);
}

std::string_view discipline_words(const Scenario& s) {
  return s.service.discipline->visit([](const auto& d) { return std::decay_t<decltype(d)>::help; });
}

std::int64_t queue_places(const Scenario& s) {
  if (s.service.queue) return *s.service.queue;
  return useful_queue(longest_timeout(s) * 9 / 10, s.network.round_trip, s.service.work,
                      s.service.workers);
}

bool has_class_work(const Scenario& s) {
  return std::any_of(s.classes.begin(), s.classes.end(),
                     [](const ClientClass& one) { return one.work.has_value(); });
}

Duration mean_work(const Scenario& s) {
  if (!has_class_work(s)) return s.service.work;
  double sum = 0;
  double shares = 0;
  for (const ClientClass& one : s.classes) {
    sum += one.share * seconds(one.work.value_or(s.service.work));
    shares += one.share;
  }
  return from_seconds(sum / shares);
}

Duration longest_mean_work(const Scenario& s) {
  Duration longest = s.service.work;
  for (const ClientClass& one : s.classes) longest = std::max(longest, one.work.value_or(longest));
  return longest;
}

double ceiling(const Scenario& s) {
  return static_cast<double>(s.service.workers) / seconds(mean_work(s));
}

void declare_run(FieldList& list) {
  using S = Scenario;
  using namespace std::chrono_literals;
  list.add(run_table, {{"seed", Whole<S>{&S::seed, 0, INT64_MAX}, sampling_engines,
                        "seed of every random draw; the same seed gives the same draws", false},
                       {"settle",
                        LengthOr<S>{&S::settle, "auto",
                                    "from 0ms to below the duration, or auto (a third of it, of "
                                    "the last stage if there are some)",
                                    0ns, 24h},
                        every_engine, "where the settled window may begin at the earliest", false},
                       {"drain_limit", Length<S>{&S::drain_limit, 0ms, 1h},
                        sampling_engines | engine_bit(Engine::fluid),
                        "how long a run waits for what is in flight after the duration", false}});
}

void declare_workers(FieldList& list) {
  using S = ServiceSettings;
  list.add(service_table, {{"workers", Whole<S>{&S::workers, 1, 1'000'000}, every_engine,
                            "requests served at once"}});
}

void declare_connections(FieldList& list) {
  using S = ServiceSettings;
  list.add(service_table, {{"max_connections", Whole<S>{&S::max_connections, 1, 1'000'000},
                            engine_bit(Engine::testbed),
                            "open connections; beyond it new ones are closed at once"}});
}

void declare_timeout(FieldList& list) {
  using C = ClientSettings;
  using namespace std::chrono_literals;
  list.add(client_table, {{"timeout", Length<C>{&C::timeout, 1us, 1h}, every_engine,
                           "how long an attempt waits for its reply, connecting included"}});
}

void declare_client_limits(FieldList& list) {
  using C = ClientSettings;
  list.add(client_table,
           {{"abandon", OneOf<C, Abandon>{&C::abandon, {"fin", "rst"}}, engine_bit(Engine::testbed),
             "how a client leaves after a timeout: orderly close or reset", false},
            {"max_in_flight",
             WholeOr<C>{&C::max_in_flight, "auto", "as the machine allows", 1, 10'000'000},
             sampling_engines, "attempts in flight at once; beyond it requests are unsent"}});
}

void declare_network(FieldList& list) {
  using N = NetworkSettings;
  using namespace std::chrono_literals;
  list.add(
      network_table,
      {{"round_trip", Length<N>{&N::round_trip, 0ms, 1h}, every_engine,
        "time on the wire, both ways together (predicted; a real run measures its own)", false}});
}

void declare_simulation(FieldList& list) {
  using S = SimulationSettings;
  using namespace std::chrono_literals;
  list.add(simulation_table,
           {{"horizon", LengthOr<S>{&S::horizon, "none", "from 0ms to 24h, or none", 0ns, 24h},
             engine_bit(Engine::simulate), "events after it are not counted"},
            {"first_arrival", OneOf<S, FirstArrival>{&S::first_arrival, {"zero", "gap"}},
             sampling_engines | engine_bit(Engine::fluid) | engine_bit(Engine::markov),
             "the first request at the start, or one gap after it", false}});
}

}  // namespace retrystorm
