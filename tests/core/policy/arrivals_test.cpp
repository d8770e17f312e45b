#include "core/policy/arrivals.hpp"

#include "core/policy/work.hpp"
#include "tests/instants.hpp"
#include "tests/seed.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

std::vector<std::pair<std::uint64_t, Instant>> drawn(Arrivals a) {
  std::vector<std::pair<std::uint64_t, Instant>> list;
  for (; a.next() != never; a.pop()) list.emplace_back(a.index(), a.next());
  return list;
}

Scenario with_rate(double rate, Duration duration) {
  Scenario s;
  s.client.rate = rate;
  s.client.duration = duration;
  return s;
}

TEST(EvenArrivals, AreAtTheFloorOfTheirExactInstantForAwkwardRates) {
  for (const double rate : {1.0, 3.0, 7.0, 78.0, 997.0, 1200.0, 99'999.0}) {
    const auto list = drawn(Arrivals(with_rate(rate, 2s)));
    ASSERT_EQ(list.size(), static_cast<std::size_t>(2 * rate)) << rate;
    for (const auto& [i, offered] : list) {
      EXPECT_EQ(nanoseconds_of(offered),
                static_cast<std::int64_t>(i * 1'000'000'000ULL / static_cast<std::uint64_t>(rate)));
    }
  }
  EXPECT_EQ(drawn(Arrivals(with_rate(0.3, 10s))).size(), 3U);  // 0, 3.3 s, 6.7 s
  EXPECT_EQ(drawn(Arrivals(with_rate(33.33, 3s))).size(), 100U);
}

TEST(EvenArrivals, WithAGapFirstLieInTheHalfOpenIntervalAtItsEnd) {
  Scenario s = with_rate(10, 1s);
  s.simulation.first_arrival = FirstArrival::gap;
  const auto list = drawn(Arrivals(s));
  ASSERT_EQ(list.size(), 10U);
  EXPECT_EQ(list.front().second, at(100ms));
  EXPECT_EQ(list.back().second, at(1s));
}

TEST(PoissonArrivals, HaveExponentialGapsWithinFiveStandardErrors) {
  const Seed seed(1);
  Scenario s = with_rate(10'000, 20s);
  s.seed = seed.value<std::int64_t>();
  s.client.arrivals = ArrivalProcess::poisson;
  const auto list = drawn(Arrivals(s));
  const double n = 200'000;
  EXPECT_NEAR(static_cast<double>(list.size()), n, 5 * std::sqrt(n));
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 1; i < list.size(); ++i) {
    const double gap = seconds(list[i].second - list[i - 1].second);
    sum += gap;
    squares += gap * gap;
  }
  const auto gaps = static_cast<double>(list.size() - 1);
  const double mean = sum / gaps;
  const double cv = std::sqrt(squares / gaps - mean * mean) / mean;
  EXPECT_NEAR(cv, 1, 0.02);
}

TEST(ScheduleShares, TogetherMakeTheWhole) {
  for (const auto process : {ArrivalProcess::even, ArrivalProcess::poisson}) {
    Scenario s = with_rate(1234, 1s);
    s.client.arrivals = process;
    auto whole = drawn(Arrivals(s));
    decltype(whole) parts;
    for (std::uint64_t k = 0; k < 3; ++k) {
      const auto part = drawn(Arrivals(s, {k, 3}));
      parts.insert(parts.end(), part.begin(), part.end());
    }
    std::sort(parts.begin(), parts.end());
    EXPECT_EQ(parts, whole);
  }
}

TEST(Arrivals, CountWhatIsLeftThisOneIncluded) {
  for (const auto process : {ArrivalProcess::even, ArrivalProcess::poisson}) {
    Scenario s = with_rate(1234, 1s);
    s.client.arrivals = process;
    Arrivals a(s, {1, 2});
    for (auto left = drawn(a).size(); left > 0; --left) {
      ASSERT_EQ(a.remaining(), left);
      a.pop();
    }
    EXPECT_EQ(a.remaining(), 0U);
  }
}

TEST(GivenArrivals, AreOfferedAsTheyAre) {
  const auto list = drawn(Arrivals(std::vector<Instant>{at(1ms), at(1ms), at(5ms)}));
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[1].second, at(1ms));
  EXPECT_EQ(list[2].first, 2U);
  EXPECT_TRUE(drawn(Arrivals(std::vector<Instant>{})).empty());
}

TEST(Work, OfEveryShapeHasItsMeanAndVariationWithinFiveStandardErrors) {
  for (const auto shape : {WorkShape::fixed, WorkShape::exponential, WorkShape::lognormal}) {
    const Seed seed(1);
    Scenario s;
    s.seed = seed.value<std::int64_t>();
    s.service.work_shape = shape;
    s.service.work_cv = 0.5;
    const double cv = shape == WorkShape::fixed ? 0 : shape == WorkShape::exponential ? 1 : 0.5;
    Work work(s);
    double sum = 0;
    double squares = 0;
    const int n = 200'000;
    for (int i = 0; i < n; ++i) {
      const double w = seconds(work.draw());
      sum += w;
      squares += w * w;
    }
    const double mean = sum / n;
    EXPECT_NEAR(mean, 0.02, 5 * 0.02 * cv / std::sqrt(n) + 1e-9);
    EXPECT_NEAR(std::sqrt(std::max(0.0, squares / n - mean * mean)) / mean, cv, 0.02);
  }
}

TEST(Work, FromAListIsGivenInOrderThenItsMean) {
  Work work({3ms, 5ms}, 20ms);
  EXPECT_EQ(work.draw(), 3ms);
  EXPECT_EQ(work.draw(), 5ms);
  EXPECT_EQ(work.draw(), 20ms);
  EXPECT_FALSE(work.constant());
}

}  // namespace
}  // namespace retrystorm
