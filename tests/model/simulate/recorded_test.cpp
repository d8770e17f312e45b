// Recorded arrivals and recorded work in the simulation: a recording of a load is that load.
#include "core/error.hpp"
#include "core/policy/arrivals.hpp"
#include "core/recordings.hpp"
#include "model/engines.hpp"
#include "model/honours.hpp"
#include "model/settling/simulate_settled.hpp"
#include "model/simulate/simulate.hpp"
#include "model/turning_points.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using testing::HasSubstr;

Scenario storm() {
  Scenario s;
  s.client.rate = 1200;
  s.client.retries = 2;
  s.client.duration = 4s;
  return s;
}

// The scenario with its schedule as a list of instants in place of a rate.
Scenario recorded(Scenario s) {
  RecordedInstants instants;
  for (Arrivals a(s); a.next() != never; a.pop()) instants.push_back(a.next());
  s.client.arrivals = ArrivalProcess::even;
  s.client.recorded = {"it.txt", std::make_shared<const RecordedInstants>(std::move(instants))};
  return s;
}

boost::json::value counts(const Tally& t) {
  return to_json(t).at("counts");
}

TEST(RecordedArrivals, OfALoadGiveItsCountsExactly) {
  Scenario s = storm();
  EXPECT_EQ(counts(simulate(recorded(s))), counts(simulate(s)));
  s.client.arrivals = ArrivalProcess::poisson;
  EXPECT_EQ(counts(simulate(recorded(s))), counts(simulate(s)));
  s.classes = {{2, s.client, {}}, {1, s.client, {}}};
  s.client.arrivals = ArrivalProcess::even;
  for (ClientClass& one : s.classes) one.client.arrivals = ArrivalProcess::even;
  EXPECT_EQ(to_json(simulate(recorded(s))).at("classes"), to_json(simulate(s)).at("classes"));
}

TEST(RecordedArrivals, AreJudgedByTheirWindowsAloneAndThatIsSaid) {
  const Tally t = simulate_settled(recorded(storm()));
  EXPECT_THAT(t.settling.note, HasSubstr("judged by its windows alone: recorded arrivals"));
  EXPECT_FALSE(t.settling.predicted_to_settle_at);
}

TEST(RecordedArrivals, AreRefusedByNameWhereARateIsMeant) {
  const Scenario s = recorded(storm());
  for (const Engine engine : {Engine::fluid, Engine::stationary, Engine::markov}) {
    try {
      honour(engine, s, true);  // nothing stands in for them
      ADD_FAILURE() << name(engine);
    } catch (const InvalidInput& error) {
      EXPECT_THAT(error.what(), HasSubstr("client.recorded"));
      EXPECT_THAT(error.what(), HasSubstr("use testbed, simulate"));
    }
    EXPECT_THROW(honour(engine, s, false), InvalidInput) << name(engine);
  }
  EXPECT_THROW(turning_points(s, Engine::simulate, {}), InvalidInput);
}

TEST(RecordedWork, OfOneWorkTimeIsThatFixedWork) {
  Scenario s = storm();
  s.client.retries = 0;
  s.client.rate = 900;
  const Tally fixed = simulate(s);
  s.service.recorded_work = {
      "it.txt", std::make_shared<const RecordedTimes>(RecordedTimes{{20ms, 20ms}, {1, 5}})};
  EXPECT_EQ(counts(simulate(s)), counts(fixed));
}

TEST(RecordedWork, IsRefusedByNameByTheClosedForms) {
  Scenario s;
  s.service.recorded_work = {"it.txt",
                             std::make_shared<const RecordedTimes>(RecordedTimes{{20ms}, {1}})};
  EXPECT_TRUE(unmodelled(Engine::simulate, s).empty());
  for (const Engine engine : {Engine::fluid, Engine::stationary, Engine::markov}) {
    const auto list = unmodelled(engine, s);
    EXPECT_TRUE(std::any_of(list.begin(), list.end(), [](const Unmodelled& u) {
      return u.field == "service.recorded_work";
    })) << name(engine);
  }
}

}  // namespace
}  // namespace retrystorm
