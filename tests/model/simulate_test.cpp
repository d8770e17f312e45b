// The simulation against what stands outside it: the independent recursion, the exact finite runs
// of the reference file, and the identities.
#include "model/simulate.hpp"

#include "core/json.hpp"
#include "core/policy/arrivals.hpp"
#include "core/scenario_toml.hpp"
#include "tests/core/fifo_recursion.hpp"

#include <fstream>
#include <sstream>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
namespace json = boost::json;

std::vector<Instant> schedule_of(const Scenario& scenario) {
  std::vector<Instant> list;
  for (Arrivals a(scenario); a.next() != never; a.pop()) list.push_back(a.next());
  return list;
}

void expect_recursion_agrees(const Scenario& scenario) {
  const FifoRun expected =
      fifo_recursion(schedule_of(scenario), static_cast<std::size_t>(scenario.service.workers),
                     static_cast<std::size_t>(queue_places(scenario)), scenario.service.work,
                     scenario.client.timeout);
  const Counts counts = simulate(scenario).counts;
  EXPECT_EQ(counts.completed, expected.admitted);
  EXPECT_EQ(counts.refused, expected.refused);
  EXPECT_EQ(counts.succeeded, expected.in_time);
  EXPECT_EQ(counts.abandoned, expected.late);
  EXPECT_EQ(broken_identities(counts), std::vector<std::string>{});
}

TEST(Simulate_AgreesWithTheRecursion, ForEvenArrivalsAtEveryLoad) {
  for (double rate = 100; rate < 3000; rate += 97) {
    Scenario s;
    s.client.rate = rate;
    s.network.round_trip = 0ns;
    SCOPED_TRACE(rate);
    expect_recursion_agrees(s);
  }
}

TEST(Simulate_AgreesWithTheRecursion, ForPoissonArrivalsAndOddShapes) {
  for (std::int64_t seed = 1; seed <= 40; ++seed) {
    Scenario s;
    s.seed = seed;
    s.client.arrivals = ArrivalProcess::poisson;
    s.client.rate = 100.0 * static_cast<double>(seed);
    s.client.timeout = Duration(5ms) * seed;
    s.service.workers = 1 + seed % 7 * 5;
    s.service.queue = seed * 13 % 120;
    s.service.work = Duration(1ms) * (1 + seed % 23);
    s.network.round_trip = 0ns;
    SCOPED_TRACE(seed);
    expect_recursion_agrees(s);
  }
}

TEST(Simulate_WithoutRetries, GivesTheIdealCountsOfThePublishedBench) {
  // The ideal column of the feasibility study: succeeded, rejected, timed out, completed.
  const double expected[][5] = {{800, 4800, 0, 0, 4800},
                                {1000, 6000, 0, 0, 6000},
                                {1200, 480, 1100, 5620, 6100},
                                {1500, 240, 2900, 5860, 6100}};
  for (const auto& [rate, succeeded, rejected, timed_out, completed] : expected) {
    Scenario s;
    s.client.rate = rate;
    const Counts c = simulate(s).counts;
    EXPECT_EQ(c.succeeded, succeeded) << rate;
    EXPECT_EQ(c.rejected, rejected) << rate;
    EXPECT_EQ(c.timed_out, timed_out) << rate;
    EXPECT_EQ(c.completed, completed) << rate;
    EXPECT_EQ(c.abandoned, timed_out) << rate;
  }
}

TEST(Simulate_WithTwoRetries, GivesTheIdealCountsOfThePublishedBench) {
  Scenario s;
  s.client.retries = 2;
  s.client.rate = 1200;
  Counts c = simulate(s).counts;
  EXPECT_EQ(c.attempts, 20640);
  EXPECT_EQ(c.succeeded, 480);
  EXPECT_EQ(c.rejected, 14440);
  EXPECT_EQ(c.timed_out, 5720);
  EXPECT_EQ(c.completed, 6200);
  s.client.rate = 1500;
  c = simulate(s).counts;
  EXPECT_EQ(c.attempts, 26520);
  EXPECT_EQ(c.succeeded, 240);
  EXPECT_EQ(c.rejected, 20260);
  EXPECT_EQ(c.completed, 6260);
}

TEST(Simulate_KeepsTheIdentities, InWholeAndCutRuns) {
  for (std::int64_t seed = 1; seed <= 30; ++seed) {
    Scenario s;
    s.seed = seed;
    s.client.arrivals = seed % 2 ? ArrivalProcess::poisson : ArrivalProcess::even;
    s.service.work_shape = static_cast<WorkShape>(seed % 3);
    s.client.rate = 1100 + 10.0 * static_cast<double>(seed);
    s.client.retries = seed % 4;
    s.client.backoff = Duration(5ms) * (seed % 3);
    if (seed % 5 == 0) s.client.max_in_flight = 60;
    if (seed % 7 == 0) s.simulation.horizon = Duration(1ms) * (777 * seed);
    if (seed % 11 == 0) s.client.timeout = 20s;  // cut by the drain limit
    s.drain_limit = 100ms;
    SCOPED_TRACE(seed);
    EXPECT_EQ(broken_identities(simulate(s).counts), std::vector<std::string>{});
  }
}

TEST(Simulate_SameSeed, GivesTheSameTally) {
  Scenario s;
  s.client.arrivals = ArrivalProcess::poisson;
  s.service.work_shape = WorkShape::lognormal;
  s.client.retries = 1;
  s.seed = 42;
  EXPECT_EQ(to_json(simulate(s)), to_json(simulate(s)));
  Scenario other = s;
  other.seed = 43;
  EXPECT_NE(to_json(simulate(s)), to_json(simulate(other)));
}

// ---- the finite runs of the reference file ----

const json::array& reference_entries() {
  static const json::value root =
      parse_json(read_file(TEST_DATA_DIR "/queueing_reference.json"), "queueing_reference.json");
  return root.at("entries").as_array();
}

Scenario scenario_of(const json::object& p) {
  const auto number = [&](std::string_view key) { return number_at(p, key).value(); };
  Scenario s;
  s.service.workers = static_cast<std::int64_t>(number("c"));
  s.service.queue = static_cast<std::int64_t>(number("K_queue"));
  s.service.work = from_seconds(number("S"));
  s.client.rate = number("lambda");
  s.client.timeout = from_seconds(number("T"));
  s.client.retries = static_cast<std::int64_t>(number("r"));
  s.client.backoff = from_seconds(number("backoff_mean_s"));
  s.client.duration = from_seconds(number("H"));
  s.simulation.horizon = from_seconds(number("H"));
  s.simulation.first_arrival = FirstArrival::gap;
  s.network.round_trip = 0ns;
  const auto letter = [&](std::string_view key) { return text_at(p, key, "entry"); };
  if (letter("arrivals") == "M") s.client.arrivals = ArrivalProcess::poisson;
  if (letter("service") == "M") s.service.work_shape = WorkShape::exponential;
  return s;
}

// Even arrivals whose rate is `spike_lambda` until `spike_end_s`: each gap at the rate in force
// when it is drawn.
std::vector<Instant> spiked_schedule(const json::object& p) {
  const auto number = [&](std::string_view key) { return number_at(p, key).value(); };
  std::vector<Instant> list;
  double t = 0;
  for (;;) {
    t += 1 / (t < number("spike_end_s") ? number("spike_lambda") : number("lambda"));
    if (t > number("H") + 1e-12) return list;
    list.push_back(from_seconds(t));
  }
}

class FiniteRun_MatchesExactly : public testing::TestWithParam<const json::value*> {};

TEST_P(FiniteRun_MatchesExactly, AtItsHorizon) {
  const json::object& entry = GetParam()->as_object();
  const json::object& params = entry.at("params").as_object();
  const Scenario s = scenario_of(params);
  Replay replay;
  SimulateOptions options;
  if (number_at(params, "spike_lambda").value() > 0) {
    replay.first_sends = spiked_schedule(params);
    options.replay = &replay;
  }
  SimulationExtremes extremes;
  const Tally tally = simulate(s, options, extremes);
  const Counts& c = tally.counts;
  const json::object& values = entry.at("values").as_object();
  const auto value = [&](std::string_view key) { return number_at(values, key).value(); };
  EXPECT_EQ(c.offered, value("arrivals"));
  EXPECT_EQ(c.attempts, value("attempts"));
  EXPECT_EQ(c.succeeded, value("good"));
  EXPECT_EQ(c.abandoned, value("late_completions"));
  EXPECT_EQ(c.rejected, value("rejected"));
  EXPECT_EQ(c.timed_out, value("timeouts"));
  EXPECT_EQ(c.gave_up, value("failed"));
  EXPECT_NEAR(tally.request.mean.value() / 1e3, value("mean_logical_latency"), 1e-6);
  EXPECT_EQ(static_cast<double>(extremes.max_in_system), value("max_in_system"));
  EXPECT_EQ(static_cast<double>(extremes.end_in_system), value("end_in_system"));
  EXPECT_EQ(broken_identities(c), std::vector<std::string>{});
}

std::vector<const json::value*> exact_runs() {
  std::vector<const json::value*> found;
  for (const json::value& entry : reference_entries()) {
    if (entry.at("id").as_string().starts_with("run_DD")) found.push_back(&entry);
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(Reference, FiniteRun_MatchesExactly, testing::ValuesIn(exact_runs()),
                         [](const auto& entry) {
                           return std::string(entry.param->at("id").as_string());
                         });

}  // namespace
}  // namespace retrystorm
