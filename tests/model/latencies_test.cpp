// Latencies of the closed forms: within a percent of the law by brute force for timeouts from a
// millisecond to an hour, or none; at a cost that does not know the timeout.
#include "model/latencies.hpp"

#include "core/figures.hpp"
#include "model/capacity/dmcn.hpp"
#include "model/capacity/mmcn.hpp"
#include "model/engines.hpp"
#include "model/fluid/fluid.hpp"
#include "model/markov/markov.hpp"
#include "model/settled/stationary.hpp"
#include "model/simulate/simulate.hpp"
#include "tests/model/scenarios.hpp"
#include "tests/model/sojourn_table.hpp"
#include "tests/seed.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

const std::vector<Duration> timeouts{1ms, 5ms, 19ms, 20ms, 33ms, 100ms, 1s, 30s, 1h};

// Three workers of 20 ms (150/s), nine places, a round trip of 0.2 ms.
Scenario small(ArrivalProcess arrivals, double load) {
  Scenario s = scenario_of(arrivals, WorkShape::exponential, load * 150);
  s.service.workers = 3;
  s.service.queue = 9;
  return s;
}

// Each percentile is where `share_within(latency in seconds)` reaches its share, to half a percent
// of the time.
template <typename F>
void expect_percentiles(const Quantiles& q, F&& share_within) {
  const auto expect_at = [&](const Count& ms, double share) {
    ASSERT_TRUE(ms);
    EXPECT_LT(share_within(*ms / 1e3 * 0.995), share + 1e-9) << share << " at " << *ms;
    EXPECT_GT(share_within(*ms / 1e3 * 1.005), share - 1e-9) << share << " at " << *ms;
  };
  expect_at(q.p50, 0.5);
  expect_at(q.p90, 0.9);
  expect_at(q.p99, 0.99);
  expect_at(q.p999, 0.999);
}

// `found`: by what attempts found, refusals last, of any weight.
void expect_latencies(const Tally& t, const Scenario& s, std::vector<double> found) {
  const double round_trip = seconds(s.network.round_trip);
  const double timeout = seconds(s.client.timeout);
  const double refused = found.back();
  found.pop_back();
  double total = refused;
  for (const double w : found) total += w;
  const double end = std::min(timeout - round_trip, 1.0);  // by which all are done
  const SojournTable table(1 / seconds(s.service.work), static_cast<std::size_t>(s.service.workers),
                           found, end);
  const double in_time = table.total();
  ASSERT_TRUE(t.attempt.mean);
  const double mean = (table.sum() / in_time + round_trip) * 1e3;
  EXPECT_NEAR(*t.attempt.mean, mean, 0.005 * mean);
  expect_percentiles(t.attempt,
                     [&](double latency) { return table.within(latency - round_trip) / in_time; });
  EXPECT_EQ(t.request.p99, t.attempt.p99);
  const double late = total - refused - in_time;
  const double all =
      (table.sum() + (in_time + refused) * round_trip + late * timeout) / total * 1e3;
  EXPECT_NEAR(*t.all.mean, all, 0.005 * all + 1e-6 * timeout * 1e3);
  expect_percentiles(t.all, [&](double latency) {
    if (latency >= timeout) return 1.0;
    const double replied = table.within(latency - round_trip);
    return (replied + (latency >= round_trip ? refused : 0)) / total;
  });
}

TEST(StationaryLatencies, AreTheLawsForAnyTimeoutUnderExponentialWork) {
  for (const auto arrivals : {ArrivalProcess::poisson, ArrivalProcess::even}) {
    for (const double load : {0.4, 0.9, 1.0, 1.7}) {
      Scenario s = small(arrivals, load);
      const double rate = s.client.rate;
      const auto found = arrivals == ArrivalProcess::poisson
                             ? capacity::mmcn_probabilities(rate, 50, 3, 12)
                             : capacity::dmcn(rate, 50, 3, 12).found;
      for (const Duration timeout : timeouts) {
        s.client.timeout = timeout;
        SCOPED_TRACE(testing::Message() << static_cast<int>(arrivals) << " load " << load
                                        << " timeout " << format_duration(timeout));
        expect_latencies(stationary(s), s, found);
      }
    }
  }
}

TEST(StationaryLatencies, OfTheUsualServiceAreNotThoseOfItsTimeout) {
  // The tail of M/M/20 at 900/s: tests/data/queueing_reference.json has a p99 of 100.83 ms, with
  // room for all.
  Scenario s = scenario_of(ArrivalProcess::poisson, WorkShape::exponential, 900);
  s.network.round_trip = 0ms;
  for (const Duration timeout : {Duration(3s), Duration(30s), Duration(1h)}) {
    s.client.timeout = timeout;
    const Tally t = stationary(s);
    EXPECT_NEAR(*t.attempt.mean, 25.506, 0.001);
    EXPECT_NEAR(*t.attempt.p50, 19.81, 0.01);
    EXPECT_NEAR(*t.attempt.p99, 100.81, 0.01);
    // Of a whole minute, the first second from empty is the faster.
    s.client.duration = 60s;
    EXPECT_NEAR(*markov(s).attempt.p99, 100.8, 1);
    EXPECT_NEAR(*markov(s).attempt.mean, 25.5, 0.3);
  }
}

// What M/M/3/12 finds over a run from empty, by small steps of Kolmogorov's equations.
std::vector<double> found_in_a_run(double rate, double duration) {
  std::vector<double> p(13, 0.0);
  p[0] = 1;
  std::vector<double> found = p;  // the request at zero
  p[1] = 1, p[0] = 0;
  constexpr int steps = 100'000;
  const double h = duration / steps;
  for (int i = 0; i < steps; ++i) {
    const std::vector<double> before = p;
    for (std::size_t n = 0; n < 13; ++n) {
      const double up = n < 12 ? rate : 0;
      const double down = 50 * static_cast<double>(std::min<std::size_t>(n, 3));
      p[n] -= h * (up + down) * before[n];
      if (n < 12) p[n + 1] += h * up * before[n];
      if (n > 0) p[n - 1] += h * down * before[n];
    }
    for (std::size_t n = 0; n < 13; ++n) found[n] += rate * h * (before[n] + p[n]) / 2;
  }
  return found;
}

TEST(MarkovLatencies, AreTheLawsForAnyTimeoutFromAnEmptyStart) {
  for (const double load : {0.4, 1.0, 1.7}) {
    Scenario s = small(ArrivalProcess::poisson, load);
    s.client.duration = 1s;
    const auto found = found_in_a_run(s.client.rate, 1);
    for (const Duration timeout : timeouts) {
      s.client.timeout = timeout;
      SCOPED_TRACE(testing::Message() << load << " timeout " << format_duration(timeout));
      const Tally t = markov(s);
      expect_latencies(t, s, found);
      EXPECT_EQ(broken_identities(t.counts), std::vector<std::string>{});
    }
  }
}

TEST(MarkovLatencies, AreOfAWindowThatALongTimeoutDoesNotBlur) {
  Scenario s = scenario_of(ArrivalProcess::poisson, WorkShape::exponential, 800);
  s.client.duration = 12s;
  for (const std::int64_t retries : {0, 2}) {
    s.client.retries = retries;
    for (const Duration timeout : {Duration(3s), Duration(30s), Duration(1h)}) {
      s.client.timeout = timeout;
      const Tally t = markov(s);
      EXPECT_NEAR(*t.settled.goodput_per_s, 800, 1) << retries << " " << format_duration(timeout);
      EXPECT_NEAR(*t.attempt.mean, 21.48, 0.1);
    }
  }
}

TEST(FixedWorkLatencies, OfOneWorkerAreThoseOfTheSamplePath) {
  const Seed seed(11);
  Scenario s = scenario_of(ArrivalProcess::poisson, WorkShape::fixed, 0);
  s.service.workers = 1;
  s.service.queue = 5;
  s.seed = seed.value<std::int64_t>();
  for (const double rate : {20.0, 80.0}) {
    for (const Duration timeout : {Duration(35ms), Duration(66ms), Duration(1h)}) {
      s.client.rate = rate;
      s.client.timeout = timeout;
      s.client.duration = 3000s;
      const Tally t = stationary(s);
      const Tally m = simulate(s);
      SCOPED_TRACE(testing::Message() << rate << " " << format_duration(timeout));
      EXPECT_TRUE(t.approximations.empty());
      EXPECT_NEAR(*t.settled.goodput_per_s, *m.settled.goodput_per_s, 0.02 * rate);
      EXPECT_NEAR(*t.attempt.mean, *m.attempt.mean, 0.02 * *m.attempt.mean);
      EXPECT_NEAR(*t.attempt.p50, *m.attempt.p50, 0.03 * *m.attempt.p50);
      EXPECT_NEAR(*t.attempt.p99, *m.attempt.p99, 0.03 * *m.attempt.p99);
      EXPECT_NEAR(*t.all.mean, *m.all.mean, 0.03 * *m.all.mean);
    }
  }
}

TEST(FixedWorkLatencies, AreThoseOfARoundUnderEvenArrivals) {
  for (const double rate : {700.0, 1000.0, 1050.0, 1234.0, 3000.0}) {
    for (const std::int64_t queue : {0, 7, 79, 400}) {
      for (const Duration timeout : {Duration(15ms), Duration(110ms), Duration(1h)}) {
        Scenario s = scenario_of(ArrivalProcess::even, WorkShape::fixed, rate);
        s.service.queue = queue;
        s.client.timeout = timeout;
        s.client.duration = 1000s;
        const Tally t = stationary(s);
        SCOPED_TRACE(testing::Message() << rate << " " << queue << format_duration(timeout));
        if (*t.settled.goodput_per_s < 1) {
          EXPECT_FALSE(t.attempt.p50);
          continue;
        }
        const Tally f = fluid(s);  // exact, to the last request
        EXPECT_NEAR(*t.attempt.mean, *f.attempt.mean, 0.01 * *f.attempt.mean);
        EXPECT_NEAR(*t.attempt.p50, *f.attempt.p50, 0.01 * *f.attempt.p50);
        EXPECT_NEAR(*t.attempt.p99, *f.attempt.p99, 0.01 * *f.attempt.p99);
        EXPECT_NEAR(*t.all.p90, *f.all.p90, 0.01 * *f.all.p90);
      }
    }
  }
}

TEST(FluidLatencies, AreTheSimulationsForAnyTimeoutWithoutRetries) {
  for (const std::int64_t retries : {0, 2}) {
    for (const Duration timeout : {Duration(150ms), Duration(30s), Duration(1h)}) {
      Scenario s;
      s.client.rate = retries == 0 ? 1200 : 900;
      s.client.retries = retries;
      s.client.timeout = timeout;
      const Tally f = fluid(s);
      const Tally m = simulate(s);
      EXPECT_EQ(f.counts.succeeded, m.counts.succeeded);
      EXPECT_NEAR(*f.request.mean, *m.request.mean, 1e-3);
      EXPECT_NEAR(*f.request.p50, *m.request.p50, 0.005 * *m.request.p50);
      EXPECT_NEAR(*f.request.p99, *m.request.p99, 0.005 * *m.request.p99);
    }
  }
}

void expect_none(const Tally& t) {
  for (const Quantiles& q : {t.request, t.attempt, t.all}) {
    visit_quantiles(q, [&](std::string_view name, const Count& ms) {
      EXPECT_FALSE(ms) << t.engine << " " << name;
    });
  }
  EXPECT_TRUE(to_json(t).at("latency_ms").at("attempt").at("p50").is_null());
}

TEST(Latencies, AreNoneWhereNoExactLawIsAtHand) {
  // M/D/c/K that refuses; retries that matter; what an engine only approximates; nothing in time.
  expect_none(stationary(scenario_of(ArrivalProcess::poisson, WorkShape::fixed, 1050)));
  Scenario exponential = scenario_of(ArrivalProcess::poisson, WorkShape::exponential, 1050);
  exponential.client.retries = 1;
  expect_none(stationary(exponential));
  expect_none(markov(exponential));
  Scenario even;
  even.client.rate = 1200;
  even.client.retries = 1;
  expect_none(fluid(even));
  Scenario lognormal = scenario_of(ArrivalProcess::poisson, WorkShape::lognormal, 500);
  for (const Engine e : {Engine::fluid, Engine::stationary, Engine::markov}) {
    const Tally t = predict(e, lognormal, {true, 1});
    EXPECT_TRUE(t.settled.goodput_per_s);
    expect_none(t);
  }
  Scenario hopeless = scenario_of(ArrivalProcess::poisson, WorkShape::exponential, 500);
  hopeless.network.round_trip = 150ms;
  EXPECT_FALSE(stationary(hopeless).attempt.p50);
  EXPECT_FALSE(markov(hopeless).attempt.p50);
  EXPECT_NEAR(*stationary(hopeless).all.p50, 100, 1e-6);  // everyone leaves at the timeout
}

double cpu_seconds_of(const Scenario& s, Tally (*engine)(const Scenario&, bool, Meter*)) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    const Tally t = engine(s, false, nullptr);
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    EXPECT_TRUE(t.attempt.p99);
  }
  return best;
}

TEST(Latencies, CostNoMoreForALongTimeout) {
  // 90,000/s on 100 workers of 1 ms: a timeout of an hour holds 3.6e8 of their works.
  Scenario s = scenario_of(ArrivalProcess::poisson, WorkShape::exponential, 90'000);
  s.service.workers = 100;
  s.service.work = 1ms;
  s.client.duration = 100ms;
  for (const auto engine : {stationary, markov}) {
    s.client.timeout = 100ms;
    const double usual = cpu_seconds_of(s, engine);
    s.client.timeout = 1h;
    EXPECT_LT(cpu_seconds_of(s, engine), 10 * usual + 0.02);
  }
}

}  // namespace
}  // namespace retrystorm
