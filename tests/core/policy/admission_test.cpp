#include "core/policy/admission.hpp"

#include "core/error.hpp"
#include "core/random.hpp"
#include "tests/instants.hpp"
#include "tests/seed.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using enum Reason;

constexpr Reason accepted = Reason::none;

constexpr std::int64_t token = AdmissionPolicy::credits_per_token;

TEST(Admission, StartsFullAndTakesWhatTheAcceptedCost) {
  AdmissionPolicy policy({.capacity = 3, .tokens_per_second = 1, .concurrency = 9});
  EXPECT_EQ(policy.arrive(at(0ns), 2), accepted);
  EXPECT_EQ(policy.credits(), 1 * token);
  EXPECT_EQ(policy.arrive(at(0ns), 2), rate_limit);
  EXPECT_EQ(policy.credits(), 1 * token) << "a refusal takes nothing";
  EXPECT_EQ(policy.in_flight(), 1);
}

TEST(Admission, LooksAtItsReasonsInTheirOrder) {
  AdmissionPolicy policy({.capacity = 1, .tokens_per_second = 1, .concurrency = 1});
  EXPECT_EQ(policy.arrive(at(0ns), 1), accepted);
  EXPECT_EQ(policy.arrive(at(0ns), 2), cost_exceeds_capacity)
      << "though none is in flight nor paid for";
  EXPECT_EQ(policy.arrive(at(0ns), 1), concurrency_limit) << "though the bucket is empty too";
  policy.finished();
  EXPECT_EQ(policy.arrive(at(0ns), 1), rate_limit);
}

TEST(Admission, RefillsToTheNanosecond) {
  AdmissionPolicy policy({.capacity = 1, .tokens_per_second = 3, .concurrency = 9});
  EXPECT_EQ(policy.arrive(at(0ns), 1), accepted);
  EXPECT_EQ(policy.arrive(at(333'333'333ns), 1), rate_limit) << "one credit short";
  EXPECT_EQ(policy.credits(), token - 1);
  EXPECT_EQ(policy.arrive(at(333'333'334ns), 1), accepted);
  EXPECT_EQ(policy.credits(), 0) << "two credits came, one overflowed";
}

TEST(Admission, HoldsNoMoreThanItsCapacity) {
  AdmissionPolicy policy({.capacity = 2, .tokens_per_second = 1000, .concurrency = 9});
  EXPECT_EQ(policy.arrive(at(1h), 1), accepted);
  EXPECT_EQ(policy.credits(), token);
}

TEST(Admission, CountsAnEarlierInstantAsTheLatest) {
  AdmissionPolicy policy({.capacity = 1, .tokens_per_second = 1, .concurrency = 9});
  EXPECT_EQ(policy.arrive(at(1s), 1), accepted);
  EXPECT_EQ(policy.arrive(at(500ms), 1), rate_limit);
  EXPECT_EQ(policy.arrive(at(1500ms), 1), rate_limit);
  EXPECT_EQ(policy.credits(), token / 2);
}

TEST(Admission, StaysExactWhereSixtyFourBitsEnd) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  AdmissionPolicy policy({.capacity = most, .tokens_per_second = most, .concurrency = most});
  const Wide full = Wide{most} * token;
  EXPECT_TRUE(policy.credits() == full);
  EXPECT_EQ(policy.arrive(at(0ns), most), accepted);
  EXPECT_EQ(policy.arrive(at(1ns), 1), accepted);
  EXPECT_TRUE(policy.credits() == Wide{most} - token);
  EXPECT_EQ(policy.arrive(Wide{most} * 1'000'000, 1), accepted) << "the refill is beyond 128 bits";
  EXPECT_TRUE(policy.credits() == full - token);
}

TEST(Admission, RefusesLimitsThatAreNotPositive) {
  EXPECT_THROW(AdmissionPolicy({.capacity = 0}), InvalidInput);
  EXPECT_THROW(AdmissionPolicy({.tokens_per_second = -1}), InvalidInput);
  EXPECT_THROW(AdmissionPolicy({.concurrency = 0}), InvalidInput);
}

// The specification's arithmetic, written again in milliseconds: 1 token = 1,000 credits.
class MillisecondBucket {
 public:
  explicit MillisecondBucket(const AdmissionLimits& l) : l_(l), credits_(l.capacity * 1000) {}
  Reason arrive(std::int64_t at_ms, std::int64_t cost, std::int64_t in_flight) {
    credits_ = std::min(l_.capacity * 1000, credits_ + (at_ms - at_) * l_.tokens_per_second);
    at_ = at_ms;
    if (cost > l_.capacity) return cost_exceeds_capacity;
    if (in_flight >= l_.concurrency) return concurrency_limit;
    if (credits_ < cost * 1000) return rate_limit;
    credits_ -= cost * 1000;
    return accepted;
  }
  std::int64_t credits() const { return credits_; }

 private:
  AdmissionLimits l_;
  std::int64_t credits_;
  std::int64_t at_ = 0;
};

TEST(Admission, OnWholeMillisecondsEqualsTheMillisecondArithmetic) {
  const Seed seed(11);
  Random random(seed.value());
  const auto upto = [&](std::uint64_t n) { return 1 + static_cast<std::int64_t>(random() % n); };
  ByReason<int> decided{};
  for (int walk = 0; walk < 300; ++walk) {
    const AdmissionLimits limits{upto(20), upto(50), upto(6)};
    AdmissionPolicy policy(limits);
    MillisecondBucket bucket(limits);
    std::vector<std::int64_t> ends;
    std::int64_t at_ms = 0;
    for (int i = 0; i < 200; ++i) {
      at_ms += upto(200) - 1;
      std::erase_if(ends, [&](std::int64_t end) {
        if (end <= at_ms) policy.finished();
        return end <= at_ms;
      });
      const std::int64_t cost = upto(static_cast<std::uint64_t>(limits.capacity) + 1);
      const Reason refusal = policy.arrive(at(std::chrono::milliseconds(at_ms)), cost);
      ASSERT_EQ(refusal, bucket.arrive(at_ms, cost, static_cast<std::int64_t>(ends.size())));
      ASSERT_TRUE(policy.credits() == Wide{bucket.credits()} * 1'000'000);
      if (refusal == accepted) ends.push_back(at_ms + upto(300));
      ++decided[static_cast<std::size_t>(refusal)];
    }
  }
  for (const Reason met : {accepted, cost_exceeds_capacity, concurrency_limit, rate_limit}) {
    EXPECT_GT(decided[static_cast<std::size_t>(met)], 100) << decision_name(met);
  }
}

TEST(Admission, RefusesForReasonsOfTheOneTable) {
  for (const Reason reason : {cost_exceeds_capacity, concurrency_limit, rate_limit}) {
    EXPECT_EQ(row_of(reason).kinds, explains_refusal | needs_admission) << name(reason);
    EXPECT_EQ(row_of(reason).status, 503) << name(reason);
    EXPECT_EQ(decision_name(reason), name(reason));
  }
  EXPECT_EQ(decision_name(accepted), "accepted");
}

}  // namespace
}  // namespace retrystorm
