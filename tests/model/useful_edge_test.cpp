// Where the end of the useful queue is a step, and where a slope, against the event simulation.
#include "model/useful_edge.hpp"

#include "model/advice.hpp"
#include "model/simulate/simulate.hpp"
#include "tests/seed.hpp"

#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

// Of the ceiling, once settled.
double goodput_share(Scenario s, std::int64_t places, int seeds = 1) {
  s.service.queue = places;
  s.client.duration = 6s;
  return simulate_band(s, seeds).settled.goodput_per_s.value() / ceiling(s);
}

TEST(UsefulEdge, IsAStepForEvenArrivalsAndFixedWorkThatFitTheTimeout) {
  Scenario s;
  s.client.rate = 1200;
  EXPECT_EQ(edge_words(s), "");
  EXPECT_NEAR(goodput_share(s, *useful_queue(s)), 1, 0.01);
  EXPECT_EQ(goodput_share(s, *useful_queue(s) + 1), 0);
}

TEST(UsefulEdge, IsASlopeWithPoissonArrivalsOrVariedWork) {
  const Seed seed(1);
  Scenario s;
  s.seed = seed.value<std::int64_t>();
  s.client.rate = 1200;
  s.client.arrivals = ArrivalProcess::poisson;
  EXPECT_THAT(edge_words(s), HasSubstr("with Poisson arrivals that edge is a slope"));
  const auto is_slope = [&] {
    const double before = goodput_share(s, *useful_queue(s) + 1, 20);
    const double between = goodput_share(s, *useful_queue(s) + 6, 20);
    const double after = goodput_share(s, *useful_queue(s) + 21, 20);
    EXPECT_GT(before, between + 0.05);
    EXPECT_GT(between, after + 0.05);
    EXPECT_GT(between, 0.1);
  };
  is_slope();
  s.service.work_shape = WorkShape::exponential;
  EXPECT_THAT(edge_words(s), HasSubstr("with Poisson arrivals and exponential work"));
  is_slope();
  s.client.arrivals = ArrivalProcess::even;
  EXPECT_THAT(edge_words(s), HasSubstr("with exponential work"));
  is_slope();
}

TEST(UsefulEdge, OfFixedWorkLiesWithinARoundOfTheWorkersAtAnyLoad) {
  for (const std::uint64_t n : seeds<std::uint64_t>(1, 40)) {
    const Seed seed(n);
    std::mt19937_64 random(seed.value());
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    Scenario s;
    s.service.workers = 1 + static_cast<std::int64_t>(between(1, 24));
    s.client.timeout = Duration(static_cast<std::int64_t>(between(25e6, 150e6)));
    s.client.rate = ceiling(s) * between(1.05, 4);
    const std::int64_t rounds = *useful_queue(s) / s.service.workers;
    const std::int64_t sure = rounds * s.service.workers;
    const std::int64_t vain = sure + s.service.workers + 1;
    if (sure > 0) {
      EXPECT_NEAR(goodput_share(s, sure), 1, 0.02);
    }
    EXPECT_NEAR(goodput_share(s, vain), 0, 0.02);
    if (const std::string words = edge_words(s); !words.empty()) {
      EXPECT_THAT(words, HasSubstr(fmt::format("first {} are served in time", sure)));
      EXPECT_THAT(words, HasSubstr(fmt::format("none past {},", vain - 1)));
    } else if (*useful_queue(s) > 0) {
      EXPECT_NEAR(goodput_share(s, *useful_queue(s)), 1, 0.02);
      EXPECT_NEAR(goodput_share(s, *useful_queue(s) + 2), 0, 0.02);
    }
  }
}

TEST(Advice, CallsTheUsefulQueueAStepOnlyWhereItIs) {
  Scenario s;
  s.client.rate = 1200;
  EXPECT_THAT(advise(s, "simulate", predict_with(Engine::simulate)).text,
              HasSubstr("whoever is served from those places is served in vain"));
  s.client.arrivals = ArrivalProcess::poisson;
  const std::string text = advise(s, "simulate", predict_with(Engine::simulate)).text;
  EXPECT_THAT(text, HasSubstr("with Poisson arrivals that edge is a slope"));
  EXPECT_THAT(text, Not(HasSubstr("in vain")));
}

}  // namespace
}  // namespace retrystorm
