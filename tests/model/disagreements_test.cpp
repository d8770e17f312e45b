// Why engines disagree, and that those who claim to be exact do not.
#include "model/disagreements.hpp"

#include "model/engines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> between(const Scenario& s, std::initializer_list<Engine> engines) {
  std::vector<Tally> answers;
  for (const Engine e : engines) answers.push_back(predict(e, s, {true, 1}));
  return disagreements(s, answers);
}

TEST(Disagreements, AreNoneBetweenTheEnginesThatAreExact) {
  for (const double rate : {700.0, 1200.0, 1333.3}) {
    Scenario s;
    s.client.rate = rate;
    EXPECT_THAT(between(s, {Engine::simulate, Engine::fluid, Engine::stationary}), IsEmpty());
  }
  // A drain limit within the timeout, and no queue.
  Scenario s;
  s.client.rate = 1200;
  s.client.duration = 200ms;
  s.client.timeout = 1s;
  s.drain_limit = 1s;
  s.service.workers = 1;
  s.service.work = 1ms;
  s.service.queue = 0;
  EXPECT_THAT(between(s, {Engine::simulate, Engine::fluid}), IsEmpty());
}

TEST(Disagreements, NameWhatAnEngineApproximates) {
  Scenario s;
  s.client.rate = 1000;
  s.service.queue = 79;
  s.service.work_shape = WorkShape::exponential;
  EXPECT_THAT(between(s, {Engine::stationary, Engine::fluid}),
              ElementsAre(AllOf(HasSubstr("stationary "), HasSubstr("fluid 1,000/s"),
                                HasSubstr("fluid approximates"))));
}

TEST(Disagreements, NameTheOtherStateThatARunCameTo) {
  Scenario s;
  s.client.rate = 200;
  Tally run;
  run.engine = "simulate";
  run.settled.seconds = 4;
  run.settled.goodput_per_s = 66;
  Tally states;
  states.engine = "stationary";
  states.settled.goodput_per_s = 200;
  states.fixed_points = {{200, 200, true}, {229, 199, false}, {508, 63, true}};
  const Tally both[] = {run, states};
  EXPECT_THAT(disagreements(s, both),
              ElementsAre(HasSubstr("simulate came to another of the states of stationary")));
}

TEST(Disagreements, HideNothingThatIsUnexplained) {
  Scenario s;
  Tally one;
  one.engine = "simulate";
  one.settled.goodput_per_s = 1000;
  one.settled.seconds = 4;
  Tally other = one;
  other.engine = "fluid";
  other.settled.goodput_per_s = 900;
  const Tally both[] = {one, other};
  EXPECT_THAT(disagreements(s, both), ElementsAre(HasSubstr("one of the two is wrong")));
}

}  // namespace
}  // namespace retrystorm
