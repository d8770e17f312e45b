// The queue simulation behind oncall-check, held against what is known exactly; and the table that
// is made of it.
#include "model/oncall/check.hpp"

#include "core/json.hpp"
#include "model/capacity/erlang_c.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm::oncall {
namespace {
using ::testing::HasSubstr;
using ::testing::Not;

struct Mean {
  double mean = 0;
  double error = 0;
};
std::vector<BenchMinute> minutes_of(const BenchCase& bench, std::uint64_t seeds) {
  std::vector<BenchMinute> minutes;
  for (std::uint64_t i = 0; i < seeds; ++i) minutes.push_back(simulate_minute(bench, i));
  return minutes;
}
Mean mean_of(const std::vector<BenchMinute>& minutes, double BenchMinute::*figure) {
  const auto n = static_cast<double>(minutes.size());
  double sum = 0;
  double squares = 0;
  for (const BenchMinute& minute : minutes) {
    sum += minute.*figure;
    squares += minute.*figure * minute.*figure;
  }
  const double mean = sum / n;
  return {mean, std::sqrt((squares / n - mean * mean) / (n - 1))};
}
void expect_near(const Mean& m, double expected) {
  EXPECT_NEAR(m.mean, expected, 4 * m.error + 1e-12) << "over the seeds from 0 on";
}

// Without queries the service is M/M/16.
BenchCase mm16(double utilization) {
  Constants c = scaled_to({}, 1);
  c.queries = c.heavy_queries = 0;
  Conditions now;
  now.serving = 1;
  now.requests_per_s = utilization * 16 / 0.070;
  return {c, now, now, 60, false};
}

TEST(SimulatedMinute, WithoutADatabaseIsErlangC) {
  const BenchCase bench = mm16(0.8);
  const double lambda = bench.during.requests_per_s;
  const std::vector<BenchMinute> m = minutes_of(bench, 40);
  expect_near(mean_of(m, &BenchMinute::p_wait), capacity::erlang_c(0.8 * 16, 16));
  expect_near(mean_of(m, &BenchMinute::mean_wait), capacity::mean_wait_s(lambda, 1 / 0.070, 16));
  expect_near(mean_of(m, &BenchMinute::utilization), 0.8);
  expect_near(mean_of(m, &BenchMinute::service_time), 0.070);
  expect_near(mean_of(m, &BenchMinute::requests), 60 * lambda);
}

TEST(SimulatedMinute, BeyondItsWorkersFailsWhatTheyCannotServe) {
  BenchCase bench = mm16(1.5);
  expect_near(mean_of(minutes_of(bench, 12), &BenchMinute::timeouts), 1.0 / 3);
  bench.dead_work = true;
  EXPECT_EQ(mean_of(minutes_of(bench, 2), &BenchMinute::timeouts).mean, 1)
      << "in the second minute every request is served too late";
}

TEST(SimulatedCache, HitsAsTheFormulaSays) {
  for (const double ttl : {1.0, 60.0}) {
    Conditions now;
    now.serving = 4;
    now.requests_per_s = 112.5;
    now.ttl = ttl;
    const Constants c = scaled_to({}, 1);
    const double expected = load_of(c, now).hit_rate;
    // Requests that miss while the object is being fetched miss too: a few in ten thousand.
    EXPECT_NEAR(mean_of(minutes_of({c, now, now, 60, false}, 20), &BenchMinute::hit_rate).mean,
                expected, 0.003);
  }
}

TEST(SimulatedDatabase, AnswersAsMM2NotAsTheTextbookFormula) {
  // At bench scale 400 queries/s of 5 ms are two servers. Hardly a hit, workers in plenty.
  Constants c = scaled_to({}, 1);
  Conditions now;
  now.serving = 10;
  now.requests_per_s = 100;
  now.ttl = 1e-6;
  const BenchCase bench{c, now, now, 60, false};
  const double rho = 0.75;  // 300 of 400
  const std::vector<BenchMinute> m = minutes_of(bench, 15);
  expect_near(mean_of(m, &BenchMinute::database_utilization), rho);
  const Mean query = mean_of(m, &BenchMinute::query_time);
  // M/M/2: s/(1 - rho^2). The queries of one request come one after another, which changes little.
  EXPECT_NEAR(query.mean, 0.005 / (1 - rho * rho), 0.0004);
  EXPECT_LT(query.mean, 0.7 * load_of(c, now).query_time);
}

TEST(SimulatedCache, EmptiedRefillsInSecondsNotInHalfAnHour) {
  Constants c = scaled_to({}, 1);
  Conditions warm;
  warm.serving = 1;
  warm.requests_per_s = 125;
  warm.ttl = 90;
  Conditions cold = warm;
  cold.warm = 0;
  const double hits =
      mean_of(minutes_of({c, warm, cold, 60, false}, 2), &BenchMinute::hit_rate).mean;
  EXPECT_GT(hits, 0.5) << "each object is asked for every 16 s";
}

TEST(SimulatedMinute, OfOneSeedIsTheSame) {
  const BenchCase bench = mm16(0.9);
  const BenchMinute a = simulate_minute(bench, 3);
  const BenchMinute b = simulate_minute(bench, 3);
  EXPECT_EQ(a.mean_wait, b.mean_wait);
  EXPECT_EQ(a.p99, b.p99);
  EXPECT_NE(a.mean_wait, simulate_minute(bench, 4).mean_wait);
}

TEST(ScaledService, HasTheSameHitRateAndUtilizations) {
  const Constants one = scaled_to({}, 1);
  EXPECT_DOUBLE_EQ(one.base, 100);
  EXPECT_DOUBLE_EQ(one.hot_objects, 2000);
  EXPECT_DOUBLE_EQ(one.database_limit, 400);
  const Load full = load_of({}, {.requests_per_s = 1125});
  const Load small = load_of(one, {.requests_per_s = 112.5, .serving = 1});
  EXPECT_DOUBLE_EQ(small.hit_rate, full.hit_rate);
  EXPECT_DOUBLE_EQ(small.database_utilization, full.database_utilization);
  EXPECT_NEAR(small.utilization, full.utilization, 1e-15);
}

TEST(Check, ComparesEachFigureOfEachCase) {
  const Check check = run_check({}, 1, 1, 2, [] { return false; });
  EXPECT_FALSE(check.interrupted);
  ASSERT_GE(check.cases.size(), 8U);
  for (const CheckCase& one : check.cases) {
    ASSERT_EQ(one.rows.size(), 10U) << one.name;
    for (const CheckRow& row : one.rows) {
      ASSERT_TRUE(row.simulated && row.error) << one.name << ' ' << row.name;
      EXPECT_TRUE(std::isfinite(*row.simulated)) << one.name << ' ' << row.name;
      if (row.formula && *row.simulated != 0) {
        EXPECT_NEAR(*row.error_percent(), 100 * (*row.formula / *row.simulated - 1),
                    1e-6 * std::abs(*row.error_percent()) + 1e-9);
      }
    }
  }
  EXPECT_EQ(check.cases[0].workers, 16);
  EXPECT_NEAR(check.cases[0].requests_per_s, 112.5, 1e-9);
  for (const std::string& text :
       {to_table(check), to_markdown(check), to_csv(check), to_json_text(check)}) {
    EXPECT_THAT(text, HasSubstr("not for operational decisions"));
    EXPECT_THAT(text, HasSubstr("timeouts_dead_work"));
  }
  const auto json = parse_json(to_json_text(check), "json");
  EXPECT_EQ(json.at("cases").as_array().size(), check.cases.size());
  EXPECT_THAT(to_table(check), HasSubstr("Where the textbook is furthest from the simulation"));
}

TEST(Check, OfOneSeedHasNoStandardError) {
  const Check check = run_check({}, 1, 1, 1, [] { return false; });
  EXPECT_EQ(check.cases.at(0).rows.at(0).error, std::nullopt);
  EXPECT_THAT(to_table(check), Not(HasSubstr(" +- 0")));
  EXPECT_THAT(to_table(check), HasSubstr(", 1 seed from 1."));
}

TEST(Check, OfWhatNeverCameAboutHasNoFigure) {
  Constants nobody;
  nobody.base = 0;
  const Check check = run_check(nobody, 1, 1, 2, [] { return false; });
  EXPECT_EQ(check.cases.at(0).rows.at(0).simulated, std::nullopt) << "no request, no hit rate";
  EXPECT_THAT(to_json_text(check), HasSubstr("\"simulated\": null"));
  EXPECT_THAT(to_csv(check), Not(HasSubstr("nan")));
}

TEST(Check, NamesItsCasesByTheConstantsTheyHave) {
  Constants c;
  c.opening_clock = 9 * 60;
  c.cold_cache_clock = 13 * 60;
  c.workers_per_instance = 8;
  const std::string table = to_table(run_check(c, 1, 1, 1, [] { return false; }));
  EXPECT_THAT(table, HasSubstr("opening, 09:00"));
  EXPECT_THAT(table, HasSubstr("cache emptied at 13:00, first minute"));
  EXPECT_THAT(table, HasSubstr("1 instance of 8 workers"));
}

TEST(SimulatedMinute, ThatWouldNeverEndIsRefused) {
  BenchCase crowd = mm16(0.5);
  crowd.most_events = 2000;
  EXPECT_THROW(simulate_minute(crowd, 1), std::length_error);
  BenchCase library = mm16(0.5);
  library.constants.hot_objects = 1e9;
  EXPECT_THROW(simulate_minute(library, 1), std::length_error);
}

TEST(ScaledService, HasAtLeastOneObject) {
  Constants c;
  c.hot_objects = 1;
  c = scaled_to(c, 1);
  EXPECT_EQ(c.hot_objects, 1);
  Conditions now;
  now.serving = 1;
  now.requests_per_s = 100;
  EXPECT_GT(simulate_minute({c, now, now, 60, false}, 1).hit_rate, 0.9);
}

TEST(SimulatedDatabase, GetsAllItsQueriesOfAFractionToo) {
  Constants c = scaled_to({}, 1);
  c.queries = 0.4;
  c.heavy_queries = 0;
  Conditions now;
  now.serving = 10;
  now.requests_per_s = 100;
  now.ttl = 1e-6;
  const std::vector<BenchMinute> m = minutes_of({c, now, now, 60, false}, 15);
  expect_near(mean_of(m, &BenchMinute::database_utilization), 0.1);  // 40 of 400
}

TEST(Check, InterruptedKeepsTheCasesSoFar) {
  int asked = 0;
  const Check check = run_check({}, 1, 1, 2, [&] { return ++asked > 5; });
  EXPECT_TRUE(check.interrupted);
  EXPECT_EQ(check.cases.size(), 3U) << "the third from one seed of two";
}

}  // namespace
}  // namespace retrystorm::oncall
