#include "model/oncall/random.hpp"

#include "tests/seed.hpp"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm::oncall {
namespace {
using ::testing::ElementsAre;

std::vector<std::uint32_t> first_four(std::uint32_t seed) {
  Mulberry32 random(seed);
  return {random.next(), random.next(), random.next(), random.next()};
}

// From an implementation in another language, with the multiplication of 32 bits written out.
TEST(Mulberry32, FromASeedGivesThePublishedSequence) {
  EXPECT_THAT(first_four(0), ElementsAre(1144304738U, 1416247U, 958946056U, 627933444U));
  EXPECT_THAT(first_four(1), ElementsAre(2693262067U, 11749833U, 2265367787U, 4213581821U));
  EXPECT_THAT(first_four(7), ElementsAre(50271532U, 266108690U, 4195786334U, 3002305430U));
  EXPECT_THAT(first_four(0xFFFFFFFFU),
              ElementsAre(3850105811U, 813802916U, 3073704848U, 4054706436U));
}

TEST(Distributions, OfSeedSevenAreTheTextbookTransforms) {
  Mulberry32 a(7);
  EXPECT_DOUBLE_EQ(a.uniform(), 0.011704753153026104);
  Mulberry32 b(7);
  EXPECT_DOUBLE_EQ(exponential(b, 1.0), 0.01177379303484262) << "-ln(1 - u)";
  EXPECT_DOUBLE_EQ(exponential(b, 2.0), 2 * 0.0639608294464467);
  Mulberry32 c(7);
  EXPECT_NEAR(normal(c, 0, 1), 0.14197043782155663, 1e-15) << "sqrt(-2 ln(1 - u)) cos(2 pi v)";
  EXPECT_NEAR(normal(c, 10, 2), 10 - 2 * 0.8642530248729361, 1e-14);
  Mulberry32 d(7);
  std::vector<int> counts;
  for (int i = 0; i < 12; ++i) counts.push_back(poisson(d, 4));
  EXPECT_THAT(counts, ElementsAre(0, 4, 4, 3, 3, 4, 4, 8, 3, 3, 6, 3));
}

struct Moments {
  double mean = 0, variance = 0;
};
template <typename Draw>
Moments moments(Draw draw) {
  constexpr int n = 200'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  return {sum / n, squares / n - sum / n * (sum / n)};
}

TEST(Distributions, HaveTheMomentsOfTheirNames) {
  const Seed seed(42);
  Mulberry32 random(seed.value<std::uint32_t>());
  const Moments e = moments([&] { return exponential(random, 3.0); });
  EXPECT_NEAR(e.mean, 3, 0.05);
  EXPECT_NEAR(e.variance, 9, 0.3);
  const Moments n = moments([&] { return normal(random, -1, 2); });
  EXPECT_NEAR(n.mean, -1, 0.03);
  EXPECT_NEAR(n.variance, 4, 0.1);
  for (const double mean : {0.0, 0.1, 4.0, 30.0}) {
    const Moments p = moments([&] { return static_cast<double>(poisson(random, mean)); });
    EXPECT_NEAR(p.mean, mean, 0.02 * mean + 1e-9);
    EXPECT_NEAR(p.variance, mean, 0.03 * mean + 1e-9);
  }
}

TEST(Poisson, ByKnuthIsForSmallMeansOnly) {
  Mulberry32 random(1);
  EXPECT_THROW(poisson(random, 30.1), std::domain_error);
  EXPECT_THROW(poisson(random, -1), std::domain_error);
  EXPECT_THROW(poisson(random, std::nan("")), std::domain_error);
}

TEST(Mulberry32, IsAValueThatCanBeCopiedAndCompared) {
  Mulberry32 a(5);
  a.next();
  Mulberry32 b = a;
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.next(), b.next());
  b.next();
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace retrystorm::oncall
