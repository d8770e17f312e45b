#include "core/due_queue.hpp"

#include "core/random.hpp"
#include "tests/instants.hpp"
#include "tests/seed.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

TEST(DueQueue, GivesTheEarliestFirstAndTiesInTheOrderOfTheirPushes) {
  const Seed seed(5);
  Random random(seed.value());
  struct Item {
    Instant due;
    int number;
  };
  DueQueue<Item> queue;
  std::vector<Item> sorted;
  int pushed = 0;
  for (int round = 0; round < 400; ++round) {
    for (int i = 0; i < 5; ++i) {
      // Mostly in order, sometimes far ahead, with many ties.
      const auto after = Duration(static_cast<std::int64_t>(random.uniform() * 8));
      const Item item{at(Duration(round) + (i == 0 ? 20 * after : after)), pushed++};
      queue.push(item);
      sorted.push_back(item);
    }
    std::sort(sorted.begin(), sorted.end(), [](const Item& a, const Item& b) {
      return a.due != b.due ? a.due < b.due : a.number < b.number;
    });
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(queue.next(), sorted.front().due);
      ASSERT_EQ(queue.front().number, sorted.front().number);
      queue.pop();
      sorted.erase(sorted.begin());
    }
    ASSERT_EQ(queue.size(), sorted.size());
  }
}

TEST(DueQueue, WithNothingInItIsNeverDue) {
  struct Item {
    Instant due;
  };
  DueQueue<Item> queue;
  EXPECT_EQ(queue.next(), never);
  queue.push({at(5ms)});
  queue.push({at(1ms)});
  queue.clear();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next(), never);
}

}  // namespace
}  // namespace retrystorm
