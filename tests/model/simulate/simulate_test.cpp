// The simulation against what stands outside it: the independent recursion, the exact finite runs
// of the reference file, and the identities.
#include "model/simulate/simulate.hpp"

#include "core/files.hpp"
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "core/policy/arrivals.hpp"
#include "core/scenario_toml.hpp"
#include "model/simulate/simulation.hpp"
#include "tests/case_name.hpp"
#include "tests/core/fifo_recursion.hpp"
#include "tests/places.hpp"
#include "tests/seed.hpp"

#include <cmath>
#include <map>

#include <boost/json.hpp>
#include <boost/random/exponential_distribution.hpp>
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

TEST(Simulation, AgreesWithTheRecursionForEvenArrivalsAtEveryLoad) {
  for (double rate = 100; rate < 3000; rate += 97) {
    Scenario s;
    s.client.rate = rate;
    s.network.round_trip = 0ns;
    SCOPED_TRACE(rate);
    expect_recursion_agrees(s);
  }
}

TEST(Simulation, AgreesWithTheRecursionForALoadInStages) {
  Scenario s;
  s.network.round_trip = 0ns;
  for (const double peak : {900, 1200, 3000}) {
    SCOPED_TRACE(peak);
    const auto rate = static_cast<std::int64_t>(peak * 1000);
    s.client.stages = {{"", 500'000, 500'000, 2s},
                       {"", 500'000, rate, 3s},
                       {"burst", rate, rate, 1s},
                       {"", 0, 0, 100ms},
                       {"", 333'333, 333'333, 2s}};
    s.client.duration = length_of(s.client.stages);
    for (const auto process : {ArrivalProcess::even, ArrivalProcess::poisson}) {
      s.client.arrivals = process;
      expect_recursion_agrees(s);
    }
  }
}

TEST(Simulation, GivesTheRatesOfEachStageWhichAddUpToTheRun) {
  Scenario s;
  s.client.retries = 2;
  s.client.stages = {
      {"", 800'000, 800'000, 2s}, {"burst", 1'500'000, 1'500'000, 1s}, {"", 500'000, 900'000, 3s}};
  s.client.rate = mean_rate(s.client.stages);
  s.client.duration = 6s;
  const Tally t = simulate(s);
  ASSERT_EQ(t.stages.size(), 3U);
  EXPECT_EQ(t.stages[1].stage, "burst=1500/s:1s");
  double offered = 0, attempts = 0, succeeded = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const StageRates& stage = t.stages[i];
    EXPECT_DOUBLE_EQ(*stage.whole.seconds, stage.to_s - stage.from_s);
    EXPECT_DOUBLE_EQ(*stage.whole.offered_per_s * *stage.whole.seconds,
                     static_cast<double>(requests_in(s.client.stages[i])));
    offered += *stage.whole.offered_per_s * *stage.whole.seconds;
    attempts += *stage.whole.attempts_per_s * *stage.whole.seconds;
    succeeded += *stage.whole.goodput_per_s * *stage.whole.seconds;
  }
  EXPECT_NEAR(offered, *t.counts.offered, 1e-6);
  // What is sent and answered while the run drains is in no stage.
  EXPECT_LE(attempts, *t.counts.attempts + 1e-6);
  EXPECT_GT(attempts, 0.9 * *t.counts.attempts);
  EXPECT_LE(succeeded, *t.counts.succeeded + 1e-6);
  EXPECT_DOUBLE_EQ(*t.stages[2].later.offered_per_s, *t.settled.offered_per_s);
}

TEST(Simulation, AgreesWithTheRecursionForPoissonArrivalsAndOddShapes) {
  for (const std::int64_t seed : seeds<std::int64_t>(1, 40)) {
    const Seed shown(static_cast<std::uint64_t>(seed));
    Scenario s;
    s.seed = seed;
    s.client.arrivals = ArrivalProcess::poisson;
    s.client.rate = 100.0 * static_cast<double>(seed);
    s.client.timeout = Duration(5ms) * seed;
    s.service.workers = 1 + seed % 7 * 5;
    s.service.queue = seed * 13 % 120;
    s.service.work = Duration(1ms) * (1 + seed % 23);
    s.network.round_trip = 0ns;
    expect_recursion_agrees(s);
  }
}

TEST(Simulation, WithoutRetriesGivesTheIdealCountsOfThePublishedBench) {
  // What a simulation written apart from this one counts: succeeded, rejected, timed out,
  // completed.
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

TEST(Simulation, WithTwoRetriesGivesTheIdealCountsOfThePublishedBench) {
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

TEST(Simulation, KeepsTheIdentitiesInWholeAndCutRuns) {
  for (const std::int64_t seed : seeds<std::int64_t>(1, 30)) {
    const Seed shown(static_cast<std::uint64_t>(seed));
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
    EXPECT_EQ(broken_identities(simulate(s).counts), std::vector<std::string>{});
  }
}

TEST(Noise, OfAMicrosecondMovesTheTiesOfImmediateRetriesAndNothingElse) {
  const Seed seed(1);
  Scenario s;
  s.seed = seed.value<std::int64_t>();
  s.client.rate = 1200;
  SimulateOptions noisy;
  noisy.noise = Noise{1us, 1us, 0us, 0us};
  // Without retries no count hangs on a tie, but for whether the service sees a close that comes as
  // it replies.
  const auto but_for_the_view = [](const Tally& tally) {
    Counts counts = tally.counts;
    counts.abandoned_seen.reset();
    counts.seen_later.reset();
    Tally rest;
    rest.counts = counts;
    return to_json(rest).at("counts");
  };
  EXPECT_EQ(but_for_the_view(simulate(s)), but_for_the_view(simulate(s, noisy)));
  s.client.retries = 2;
  const Tally band = simulate_band(s, 8, noisy);
  EXPECT_EQ(broken_identities(band.counts), std::vector<std::string>{});
  EXPECT_GT(band.spread.at("counts.succeeded").low, *simulate(s).counts.succeeded);
}

TEST(Simulation, OfTheSameSeedGivesTheSameTally) {
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
      parse_json(read_file(test_data("queueing_reference.json")), "queueing_reference.json");
  return root.at("entries").as_array();
}

Scenario scenario_of(const JsonObject& p) {
  const auto number = [&](std::string_view key) { return p.number(key).value(); };
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
  if (p.text("arrivals") == "M") s.client.arrivals = ArrivalProcess::poisson;
  if (p.text("service") == "M") s.service.work_shape = WorkShape::exponential;
  return s;
}

// Arrivals whose rate is `spike_lambda` until `spike_end_s`: each gap at the rate in force when it
// is drawn.
std::vector<Instant> spiked_schedule(const JsonObject& p, std::uint64_t seed) {
  const auto number = [&](std::string_view key) { return p.number(key).value(); };
  const bool poisson = p.text("arrivals") == "M";
  Random random(seed, Stream::arrivals);
  boost::random::exponential_distribution<double> exponential(1.0);
  std::vector<Instant> list;
  double t = 0;
  for (;;) {
    const double rate = t < number("spike_end_s") ? number("spike_lambda") : number("lambda");
    t += (poisson ? exponential(random) : 1.0) / rate;
    if (t > number("H") + 1e-12) return list;
    list.push_back(instant_at(from_seconds(t)));
  }
}

// One run of an entry: its values by the names of the reference file.
std::map<std::string, double> run_entry(const JsonObject& params, std::int64_t seed) {
  Scenario s = scenario_of(params);
  s.seed = seed;
  Replay replay;
  if (params.number("spike_lambda").value() > 0) {
    replay.first_sends = spiked_schedule(params, static_cast<std::uint64_t>(seed));
  }
  SimulationExtremes extremes;
  const Tally tally = simulate(s, {&replay, {}}, extremes);
  const Counts& c = tally.counts;
  EXPECT_EQ(broken_identities(c), std::vector<std::string>{});
  return {{"arrivals", *c.offered},
          {"attempts", *c.attempts},
          {"good", *c.succeeded},
          {"late_completions", *c.abandoned},
          {"rejected", *c.rejected},
          {"timeouts", *c.timed_out},
          {"failed", *c.gave_up},
          {"mean_logical_latency", tally.request.mean.value_or(0) / 1e3},
          {"max_in_system", static_cast<double>(extremes.max_in_system)},
          {"end_in_system", static_cast<double>(extremes.end_in_system)}};
}

class EvenFiniteRun : public testing::TestWithParam<const json::value*> {};

TEST_P(EvenFiniteRun, MatchesExactlyAtItsHorizon) {
  const JsonObject entry(*GetParam(), "entry");
  const JsonObject values = entry.object("values");
  for (const auto& [name, value] : run_entry(entry.object("params"), 1)) {
    const double expected = values.number(name).value();
    // Latencies stand rounded in the file.
    EXPECT_NEAR(value, expected, name == "mean_logical_latency" ? 1e-9 : 0) << name;
  }
}

class RandomFiniteRun : public testing::TestWithParam<const json::value*> {};

TEST_P(RandomFiniteRun, MatchesInTheMeanWithinFourCombinedStandardErrors) {
  constexpr int replications = 60;
  const JsonObject entry(*GetParam(), "entry");
  std::map<std::string, std::vector<double>> samples;
  for (int seed = 1; seed <= replications; ++seed) {
    for (const auto& [name, value] : run_entry(entry.object("params"), seed)) {
      samples[name].push_back(value);
    }
  }
  const JsonObject values = entry.object("values");
  for (const auto& [name, sample] : samples) {
    const JsonObject expected = values.object(name);
    const Spread spread = spread_of(sample).value();
    const double own = spread.sd / std::sqrt(static_cast<double>(replications));
    const double error = std::hypot(own, expected.number("se").value());
    EXPECT_NEAR(spread.mean, expected.number("value").value(), 4 * error + 1e-9)
        << name << " over the seeds from 1 to " << replications;
  }
}

// Every finite run of the file that the simulation can make: all but those with an exponential
// backoff, for which there is no field.
std::vector<const json::value*> runs(bool exact) {
  std::vector<const json::value*> found;
  for (const json::value& entry : reference_entries()) {
    const auto& id = entry.at("id").as_string();
    if (!id.starts_with("run_") || id.starts_with("run_spikeBackoff")) continue;
    if (id.starts_with("run_DD") == exact) found.push_back(&entry);
  }
  return found;
}

std::string id_of(const testing::TestParamInfo<const json::value*>& entry) {
  return case_name(entry.param->at("id").as_string());
}

INSTANTIATE_TEST_SUITE_P(Reference, EvenFiniteRun, testing::ValuesIn(runs(true)), id_of);
INSTANTIATE_TEST_SUITE_P(Reference, RandomFiniteRun, testing::ValuesIn(runs(false)), id_of);

}  // namespace
}  // namespace retrystorm
