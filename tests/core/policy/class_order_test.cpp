#include "core/policy/class_order.hpp"

#include "core/random.hpp"
#include "tests/alike_classes.hpp"
#include "tests/seed.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

std::vector<int> first_classes(const Scenario& s, std::size_t n, Arrivals::Share share = {}) {
  std::vector<int> list;
  for (ClassOrder order(s, share); list.size() < n; order.pop()) list.push_back(order.next());
  return list;
}

TEST(EvenClasses, TakeTheRequestsOfTheirCreditTheFirstOnTies) {
  EXPECT_EQ(first_classes(in_classes({}, {3, 1}), 8), (std::vector{0, 0, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(first_classes(in_classes({}, {1, 1, 1}), 6), (std::vector{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(first_classes(in_classes({}, {0.1, 0.9}), 10),
            (std::vector{1, 1, 1, 1, 0, 1, 1, 1, 1, 1}))
      << "a tenth counts exactly: at the fifth request both have half a credit";
}

TEST(EvenClasses, AreNeverAheadOfTheirShareByAWholeRequest) {
  const Seed seed(5);
  Random random(seed.value());
  for (int i = 0; i < 50; ++i) {
    Scenario s;
    double sum = 0;
    for (std::size_t c = 0; c < 2 + random() % 5; ++c) {
      s.classes.push_back({0.01 + random.uniform(), {}});
      sum += s.classes.back().share;
    }
    std::vector<double> got(s.classes.size());
    double offered = 0;
    for (const int c : first_classes(s, 500)) {
      ++offered;
      ++got[static_cast<std::size_t>(c)];
      for (std::size_t k = 0; k < got.size(); ++k) {
        ASSERT_LT(got[k], offered * s.classes[k].share / sum + 1 + 1e-6);
      }
    }
  }
}

TEST(PoissonClasses, AreDrawnByTheSeedInTheirShares) {
  Scenario s = in_classes({}, {1, 2, 7});
  s.client.arrivals = ArrivalProcess::poisson;
  const auto drawn = first_classes(s, 100'000);
  for (const auto& [c, share] : {std::pair{0, 0.1}, {1, 0.2}, {2, 0.7}}) {
    const double n = 1e5;
    EXPECT_NEAR(static_cast<double>(std::count(drawn.begin(), drawn.end(), c)), n * share,
                4 * std::sqrt(n * share * (1 - share)));
  }
  EXPECT_EQ(drawn, first_classes(s, 100'000));
  ++s.seed;
  EXPECT_NE(drawn, first_classes(s, 100'000));
}

TEST(ClassOrder, OfAThreadIsItsShareOfTheWhole) {
  for (const ArrivalProcess process : {ArrivalProcess::even, ArrivalProcess::poisson}) {
    Scenario s = in_classes({}, {5, 2, 4});
    s.client.arrivals = process;
    const auto whole = first_classes(s, 300);
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
      const auto part = first_classes(s, 100, {thread, 3});
      for (std::size_t i = 0; i < part.size(); ++i) ASSERT_EQ(part[i], whole[3 * i + thread]);
    }
  }
}

TEST(ClassOrder, OfOneClassIsThatClass) {
  EXPECT_EQ(first_classes({}, 3), (std::vector{0, 0, 0}));
}

}  // namespace
}  // namespace retrystorm
