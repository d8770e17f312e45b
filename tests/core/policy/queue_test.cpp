#include "core/policy/queue.hpp"

#include "tests/instants.hpp"
#include "tests/seed.hpp"

#include <array>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

Queue filled(const Scenario& s, std::uint64_t waiting) {
  Queue queue(s);
  for (std::uint64_t i = 0; i < waiting; ++i) queue.push({i, at(Duration(i))});
  return queue;
}

std::vector<std::uint64_t> taken(Queue queue) {
  std::vector<std::uint64_t> order;
  while (!queue.empty()) order.push_back(queue.take().token);
  return order;
}

TEST(Queue, IsFullWhenEveryPlaceIsTaken) {
  Scenario s;
  s.service.queue = 2;
  EXPECT_FALSE(filled(s, 1).full());
  EXPECT_TRUE(filled(s, 2).full());
  s.service.queue = 0;
  EXPECT_TRUE(filled(s, 0).full());
}

TEST(Queue, TakesTheOldestByFifoAndTheNewestByLifo) {
  Scenario s;
  EXPECT_THAT(taken(filled(s, 4)), testing::ElementsAre(0, 1, 2, 3));
  s.service.discipline = Lifo{};
  EXPECT_THAT(taken(filled(s, 4)), testing::ElementsAre(3, 2, 1, 0));
}

TEST(Queue, InRandomOrderTakesEachFirstAboutEquallyOften) {
  const Seed seed(1);
  Scenario s;
  s.service.discipline = RandomOrder{};
  constexpr int rounds = 4000;
  std::array<int, 4> first{};
  for (int i = 0; i < rounds; ++i) {
    s.seed = seed.value<std::int64_t>() + i;
    const auto order = taken(filled(s, 4));
    EXPECT_THAT(order, testing::UnorderedElementsAre(0, 1, 2, 3));
    ++first[order.front()];
  }
  // Five standard errors of a binomial share of a quarter.
  for (const int n : first) EXPECT_NEAR(n, rounds / 4, 5 * 27.4);
}

}  // namespace
}  // namespace retrystorm
