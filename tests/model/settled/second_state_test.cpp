// The state that a burst leaves behind, as the fixed points tell it and the advice uses it, against
// what the event simulation does after a burst.
#include "model/settled/second_state.hpp"

#include "model/advice.hpp"
#include "model/settled/stationary.hpp"
#include "model/simulate/simulate.hpp"
#include "tests/model/scenarios.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// At seven eighths of its ceiling.
Scenario service() {
  return service_with_two_states(200);
}

// Goodput from ten seconds after a burst of 3 s on.
double goodput_after_burst(Scenario s, double burst_rate) {
  Replay schedule;
  schedule.first_sends.emplace();
  const auto offer = [&](Duration from, Duration to, double rate) {
    for (std::int64_t k = 0;; ++k) {
      const Duration at =
          from + Duration(static_cast<std::int64_t>(1e9 * static_cast<double>(k) / rate));
      if (at >= to) break;
      schedule.first_sends->push_back(instant_at(at));
    }
  };
  offer(0s, 2s, s.client.rate);
  offer(2s, 5s, burst_rate);
  offer(5s, 30s, s.client.rate);
  s.client.duration = 30s;
  s.settle = 15s;
  return simulate(s, {&schedule, {}}).settled.goodput_per_s.value();
}

TEST(Advice, NamesTheStateThatABurstLeavesAndTheChangesAfterWhichTheSimulationRecovers) {
  const Scenario s = service();
  const Advice a = advise(s, "simulate", predict_with(Engine::simulate));
  SCOPED_TRACE(a.text);
  EXPECT_NEAR(a.goodput_per_s, 200, 1);
  ASSERT_TRUE(a.second_state);
  EXPECT_LT(a.second_state->from_per_s, 200);
  EXPECT_LT(a.second_state->goodput_per_s, 100);
  EXPECT_LT(goodput_after_burst(s, 800), 100);
  for (const Change& change : a.changes) {
    Scenario changed = s;
    const Field& field = *find_field(change.field);
    set_field(changed, field, value_from_text(field, change.to), "test", change.field);
    const bool recovers = goodput_after_burst(changed, 800) > 198;
    EXPECT_EQ(change.removes_second_state, recovers) << change.field << " " << change.to;
  }
  EXPECT_THAT(a.text, AllOf(HasSubstr("another settled state"), HasSubstr("offered on"),
                            HasSubstr("remove that state"), HasSubstr("client.retries 0"),
                            HasSubstr("While nothing disturbs it, no single change")));
}

TEST(Advice, SetsWhatLeavesTheSecondStateApartFromWhatRemovesIt) {
  Advice a;
  EXPECT_EQ(second_state_words(a), "");
  a.second_state = SecondState{508, 63, 76};
  a.changes = {{"client.timeout", "250ms", "260ms", "", 200, 0, false},
               {"client.retries", "2", "0", "", 200, 0, true},
               {"service.queue", "50", "0", "", {}, 0, {}}};
  EXPECT_THAT(second_state_words(a),
              AllOf(HasSubstr("508 attempts/s for 63/s of goodput"), HasSubstr("from 76/s offered"),
                    HasSubstr("remove that state: client.retries 0. "),
                    HasSubstr("leave it: client.timeout 260ms."), Not(HasSubstr("service.queue"))));
  a.changes.resize(1);
  EXPECT_THAT(second_state_words(a), HasSubstr("No single change tried removes that state"));
}

TEST(Advice, SpeaksOfNoSecondStateWhereThereIsNone) {
  Scenario s = service();
  s.service.queue = 40;
  const Advice a = advise(s, "simulate", predict_with(Engine::simulate));
  EXPECT_FALSE(a.second_state);
  EXPECT_GT(goodput_after_burst(s, 800), 198);
  EXPECT_THAT(a.text, Not(HasSubstr("settled state")));
  for (const Change& change : a.changes) EXPECT_FALSE(change.removes_second_state);
}

TEST(Advice, SaysThatItDoesNotKnowWhereTheFixedPointsDoNot) {
  Scenario s = service();
  s.client.backoff = 100ms;
  set_field(s, *find_field("client.jitter"), std::string("full"), "test", "client.jitter");
  const Advice a = advise(s, "simulate", predict_with(Engine::simulate));
  EXPECT_FALSE(a.second_state);
  EXPECT_THAT(a.text,
              HasSubstr("is not known: the fixed points do not model client.jitter = full"));
}

TEST(SecondState, OutlastsAConstantBackoff) {
  Scenario s = service();
  s.client.backoff = 1s;
  EXPECT_TRUE(second_state(s));
  EXPECT_LT(goodput_after_burst(s, 800), 100);
}

TEST(SecondState, DoesNotSurviveBelowTheLoadItIsSaidToExistFrom) {
  for (const std::int64_t queue : {50, 60, 100}) {
    Scenario s = service();
    s.service.queue = queue;
    const auto state = second_state(s);
    ASSERT_TRUE(state);
    s.client.rate = 0.97 * state->from_per_s;
    EXPECT_FALSE(second_state(s));
    for (const double times_the_ceiling : {1.2, 3.5, 8.0}) {
      EXPECT_GT(goodput_after_burst(s, times_the_ceiling * ceiling(s)), 0.98 * s.client.rate)
          << queue << " " << times_the_ceiling;
    }
    s.client.rate = 1.03 * state->from_per_s;
    EXPECT_TRUE(second_state(s));
  }
}

TEST(Folds, EndTheGoodStateAtTheCeilingHoweverManyBendsFollow) {
  const Scenario s = service();
  const auto found = folds(s);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->upper.rate, ceiling(s), 1e-3);
  EXPECT_GT(settled_states(s).size(), 3U);
}

}  // namespace
}  // namespace retrystorm
