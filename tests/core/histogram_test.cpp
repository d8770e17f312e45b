#include "core/histogram.hpp"

#include "core/random.hpp"
#include "tests/seed.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

TEST(LogLinearAxis, PutsEveryValueIntoTheBinThatHoldsIt) {
  const LogLinearAxis axis;
  for (int bin = 0; bin < LogLinearAxis::bins; ++bin) {
    EXPECT_EQ(axis.index(axis.value(bin)), bin);
    EXPECT_EQ(axis.index(axis.value(bin + 1) - 1), bin);
  }
  EXPECT_EQ(axis.index(axis.value(LogLinearAxis::bins)), LogLinearAxis::bins);
  EXPECT_EQ(axis.index(-5), 0);
  EXPECT_EQ(axis.index(INT64_MAX), LogLinearAxis::bins);
}

std::vector<std::int64_t> lognormal_sample(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int64_t> values(n);
  for (auto& v : values) {
    double sum = 0;  // close enough to a normal
    for (int i = 0; i < 12; ++i) sum += random.uniform();
    v = static_cast<std::int64_t>(std::exp(std::log(5e6) + 1.5 * (sum - 6)));
  }
  return values;
}

LatencyHistogram histogram_of(const std::vector<std::int64_t>& values) {
  LatencyHistogram h;
  for (const auto v : values) h.record(Duration(v));
  return h;
}

std::int64_t nearest_rank(std::vector<std::int64_t> values, double q) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

TEST(Percentiles, OfFewValuesAreExact) {
  for (const std::size_t n : {1U, 2U, 3U, 10U, 99U, 1024U}) {
    const Seed seed(n);
    const auto values = lognormal_sample(n, seed.value());
    const auto h = histogram_of(values);
    for (const double q : {0.0, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      EXPECT_EQ(h.quantile(q).count(), nearest_rank(values, q)) << n << " " << q;
    }
  }
}

TEST(Percentiles, OfManyValuesAreWithinHalfABinAndWithinMinAndMax) {
  const Seed seed(3);
  const auto values = lognormal_sample(100'000, seed.value());
  const auto h = histogram_of(values);
  for (const double q : {0.0, 0.001, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto exact = static_cast<double>(nearest_rank(values, q));
    EXPECT_NEAR(static_cast<double>(h.quantile(q).count()), exact, 0.004 * exact) << q;
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(h.quantile(0).count(), *low);
  EXPECT_EQ(milliseconds(Duration(*high)), h.quantiles().max);
}

TEST(Percentiles, OfOneRepeatedValueAreThatValue) {
  LatencyHistogram h;
  for (int i = 0; i < 5000; ++i) h.record(Duration(500'123'456));
  EXPECT_EQ(h.quantile(0.5).count(), 500'123'456);
  EXPECT_EQ(h.quantile(0.001).count(), 500'123'456);
}

TEST(Histogram, MergedIsTheSameAsHavingRecordedBoth) {
  for (const std::size_t n : {10U, 600U, 5000U}) {
    const Seed seed(1);
    auto a = lognormal_sample(n, seed.value());
    const auto b = lognormal_sample(n, seed.value() + 1);
    LatencyHistogram merged = histogram_of(a);
    merged.merge(histogram_of(b));
    a.insert(a.end(), b.begin(), b.end());
    const LatencyHistogram both = histogram_of(a);
    EXPECT_EQ(merged.count(), both.count());
    EXPECT_EQ(merged.sum(), both.sum());
    for (const double q : {0.01, 0.5, 0.99, 1.0}) EXPECT_EQ(merged.quantile(q), both.quantile(q));
  }
}

TEST(Histogram, MergedWhileRecordingKeepsCountingAfterTheExactPhase) {
  const Seed seed(1);
  LatencyHistogram h = histogram_of(lognormal_sample(1000, seed.value()));
  h.merge(histogram_of(lognormal_sample(1000, seed.value() + 1)));
  h.record(Duration(1));
  EXPECT_EQ(h.count(), 2001U);
  EXPECT_EQ(h.quantile(0).count(), 1);
}

TEST(Histogram, CountsItsOverflowAndReportsItAsTheMaximum) {
  LatencyHistogram h;
  for (int i = 0; i < 2000; ++i) h.record(std::chrono::hours(3));
  EXPECT_EQ(h.overflow(), 2000U);
  EXPECT_EQ(h.quantile(0.5), std::chrono::hours(3));
}

TEST(Histogram, WithoutValuesGivesNoQuantilesNotZeros) {
  EXPECT_FALSE(LatencyHistogram().quantiles().p50);
  EXPECT_EQ(LatencyHistogram().count_to(std::chrono::seconds(1)), 0U);
}

TEST(CumulativeCounts, ForBucketsGrowToTheTotal) {
  const Seed seed(9);
  const auto values = lognormal_sample(10'000, seed.value());
  const auto h = histogram_of(values);
  std::uint64_t before = 0;
  for (const auto limit : {1e5, 1e6, 5e6, 1e7, 1e8, 1e12}) {
    const auto count = h.count_to(Duration(static_cast<std::int64_t>(limit)));
    EXPECT_GE(count, before);
    before = count;
  }
  EXPECT_EQ(before, 10'000U);
}

}  // namespace
}  // namespace retrystorm
