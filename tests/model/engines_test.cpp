// What each engine models and refuses, sweeps with their knee, and advice.
#include "model/engines.hpp"

#include "core/error.hpp"
#include "model/advice.hpp"
#include "model/honours.hpp"
#include "model/sweep.hpp"
#include "model/weighted.hpp"
#include "tests/alike_classes.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::array all_engines = {Engine::testbed, Engine::simulate, Engine::fluid,
                                    Engine::stationary, Engine::markov};

std::vector<std::string> fields_of(const std::vector<Unmodelled>& list) {
  std::vector<std::string> fields;
  for (const Unmodelled& u : list) fields.push_back(u.field);
  return fields;
}

TEST(HonouredFields, LetEveryEngineButMarkovAnswerTheDefaults) {
  for (const Engine e : all_engines) {
    if (e != Engine::markov) {
      EXPECT_TRUE(unmodelled(e, Scenario{}).empty()) << engine_names[static_cast<std::size_t>(e)];
    }
  }
  EXPECT_THAT(fields_of(unmodelled(Engine::markov, Scenario{})),
              ElementsAre("service.work_shape", "client.arrivals"));
}

TEST(HonouredFields, RefuseEveryChangedFieldThatTheRegistryDoesNotGiveTheEngine) {
  // Whatever an engine's bit is not set for, and no rule lets pass, is refused as soon as it
  // differs from its default: so a field added tomorrow is.
  Scenario s;
  s.simulation.horizon = 3s;
  for (const Engine e : {Engine::fluid, Engine::stationary, Engine::markov}) {
    EXPECT_THAT(fields_of(unmodelled(e, s)), Contains("simulation.horizon"));
  }
  EXPECT_TRUE(unmodelled(Engine::simulate, s).empty());
  EXPECT_THAT(fields_of(unmodelled(Engine::testbed, s)), ElementsAre("simulation.horizon"));
}

TEST(HonouredFields, PassWhatCannotChangeTheAnswer) {
  Scenario s;
  s.seed = 99;
  s.client.abandon = Abandon::rst;
  s.service.work_cv = 3;            // of lognormal work, which this is not
  s.service.max_connections = 121;  // everyone in the system and one refusal
  s.client.max_in_flight = 1000;
  for (const Engine e : {Engine::fluid, Engine::stationary}) {
    EXPECT_TRUE(unmodelled(e, s).empty()) << engine_names[static_cast<std::size_t>(e)];
  }
  s.service.max_connections = 120;
  s.client.max_in_flight = 50;
  EXPECT_THAT(fields_of(unmodelled(Engine::fluid, s)),
              ElementsAre("service.max_connections", "client.max_in_flight"));
}

TEST(HonouredFields, RefuseWorkThatDrifts) {
  Scenario s;
  s.service.work_kind = WorkKind::sleep;
  for (const Engine e : {Engine::simulate, Engine::fluid, Engine::stationary}) {
    EXPECT_THAT(fields_of(unmodelled(e, s)), ElementsAre("service.work_kind"));
  }
  EXPECT_THAT(engines_that_model("service.work_kind", s), ElementsAre(Engine::testbed));
}

TEST(HonouredFields, NameTheEnginesThatCan) {
  Scenario s;
  s.client.arrivals = ArrivalProcess::poisson;
  EXPECT_THAT(engines_that_model("client.arrivals", s),
              ElementsAre(Engine::testbed, Engine::simulate, Engine::stationary, Engine::markov));
  try {
    honour(Engine::fluid, s, false);
    FAIL() << "honoured";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("client.arrivals"), HasSubstr("'poisson'"),
                                    HasSubstr("use testbed, simulate, stationary, markov"),
                                    HasSubstr("evenly spaced")));
  }
}

TEST(ClosedForms, RefuseSeveralClassesOfClientsInOneLine) {
  const Scenario s = in_classes({}, {1, 1});
  for (const Engine e : {Engine::fluid, Engine::stationary, Engine::markov}) {
    for (const bool approximate : {false, true}) {
      try {
        PredictOptions options;
        options.approximate = approximate;
        predict(e, s, options);
        ADD_FAILURE() << name(e) << " answers";
      } catch (const InvalidInput& error) {
        EXPECT_EQ(std::string(error.what()),
                  "engine " + std::string(name(e)) +
                      ": class: '2 classes of clients' is not modelled; use testbed, simulate");
      }
    }
  }
  EXPECT_EQ(predict(Engine::simulate, s, {}).classes.size(), 2U);
  EXPECT_THROW(advise(s, "simulate", predict_with(Engine::simulate)), InvalidInput);
}

TEST(Engines, AllAnswerTheSameHealthyScenario) {
  Scenario s;
  s.client.rate = 500;
  for (const Predictor& p : predictors()) {
    const Tally t = predict(p.engine, s, {true, 1});
    EXPECT_EQ(t.engine, engine_names[static_cast<std::size_t>(p.engine)]);
    EXPECT_EQ(predictor_named(t.engine), p.engine);
    EXPECT_NEAR(*t.settled.goodput_per_s, 500, 5) << t.engine;  // exponential work loses 0.7 %
    EXPECT_EQ(broken_identities(t.counts), std::vector<std::string>{});
  }
  EXPECT_FALSE(predictor_named("testbed"));
  EXPECT_FALSE(predictor_named("oracle"));
}

TEST(Engines, ListWhatTheyLeaveOut) {
  Scenario s;
  s.client.arrivals = ArrivalProcess::poisson;
  EXPECT_THROW(predict(Engine::fluid, s), InvalidInput);
  EXPECT_THAT(predict(Engine::fluid, s, {true, 1}).approximations,
              ElementsAre(HasSubstr("client.arrivals = poisson")));
  s.service.work_kind = WorkKind::spin;
  EXPECT_THROW(predict(Engine::simulate, s), InvalidInput);
  EXPECT_THAT(predict(Engine::simulate, s, {true, 1}).approximations,
              ElementsAre(HasSubstr("service.work_kind = spin")));
}

TEST(Sweep, ReadsRangesOfRatesNumbersAndDurations) {
  const auto texts = [](std::string_view text) {
    std::vector<std::string> list;
    for (const FieldValue& v : parse_sweep(text, "--sweep").values) list.push_back(to_text(v));
    return list;
  };
  EXPECT_THAT(texts("client.rate=600..1000:200"), ElementsAre("600", "800", "1000"));
  EXPECT_THAT(texts("client.rate=600/s..700/s:60/s"), ElementsAre("600", "660"));
  EXPECT_THAT(texts("client.rate=0.1..0.4:0.1"), ElementsAre("0.1", "0.2", "0.3", "0.4"));
  EXPECT_THAT(texts("service.queue=0..100:50"), ElementsAre("0", "50", "100"));
  EXPECT_THAT(texts("client.timeout=90ms..0.1s:5ms"), ElementsAre("90ms", "95ms", "100ms"));
  EXPECT_THAT(texts("seed=5..5:1"), ElementsAre("5"));
}

TEST(Sweep, SaysWhatIsWrongWithARange) {
  for (const char* text :
       {"client.rate", "client.rate=1..2", "client.rate=2..1:1", "client.rate=1..2:0",
        "client.rate=1..2:-1", "client.rate=a..b:c", "client.timeout=1..2:1", "client.rat=1..2:1",
        "service.work_shape=1..2:1", "client.rate=1..1000000:1", "=..:", ""}) {
    EXPECT_THROW(parse_sweep(text, "--sweep"), InvalidInput) << text;
  }
}

TEST(Sweep, EndsBetweenTwoStepsWhenToldTo) {
  const Sweep range = parse_sweep("client.rate=600..1600:20", "--sweep");
  int asked = 0;
  const Stop stop([](void* times) { return ++*static_cast<int*>(times) > 3; }, &asked);
  const auto steps = sweep(Scenario{}, range, predict_with(Engine::fluid), stop);
  EXPECT_EQ(steps.size(), 3U);
}

TEST(Sweep, FindsAFieldByItsBareName) {
  EXPECT_EQ(parse_sweep("rate=1..2:1", "--sweep").field, "client.rate");
}

TEST(Sweep, SaysWhichFieldWasMeant) {
  try {
    parse_sweep("rtae=1..2:1", "--sweep");
    FAIL() << "accepted";
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "--sweep: rtae: no such field; did you mean client.rate?");
  }
}

TEST(Sweep, FindsTheKneeOfTheBench) {
  const Sweep range = parse_sweep("client.rate=600..1600:20", "--sweep");
  const auto steps = sweep(Scenario{}, range, predict_with(Engine::fluid));
  ASSERT_EQ(steps.size(), 51U);
  const auto found = knee(range, steps);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rate, 1000);
  EXPECT_NEAR(found->goodput_per_s, 1000, 1e-6);
  // Beyond it nothing but throughput is left.
  EXPECT_NEAR(*steps.back().tally.settled.goodput_per_s, 0, 1e-6);
  EXPECT_NEAR(*steps.back().tally.settled.throughput_per_s, 1000, 1);
  EXPECT_EQ(to_text(steps.front().value), "600");
  EXPECT_EQ(steps.front().scenario.client.rate, 600);
}

// 99 % is kept by 99 of 100, however long the window that makes them rates.
TEST(Sweep, FindsTheKneeAtALoadThatKeepsExactlyTheShare) {
  const Sweep range = parse_sweep("client.rate=100..100:1", "--sweep");
  SweepStep step{range.values.at(0), Scenario{}, {}};
  step.scenario.client.rate = 100;
  for (std::int64_t kept = 1; kept <= 100; ++kept) {
    for (const double seconds : {4.0, 3.0, 6.7, 0.1}) {
      step.tally.settled.goodput_per_s = static_cast<double>(kept) / seconds;
      step.tally.settled.offered_per_s = 100 / seconds;
      EXPECT_TRUE(knee(range, {step}, kept * 10'000)) << kept << " in " << seconds;
      EXPECT_FALSE(knee(range, {step}, kept * 10'000 + 1)) << kept << " in " << seconds;
    }
  }
}

TEST(Sweep, HasNoKneeWhereThereIsNoLoadOrTheFirstIsTooMuch) {
  Sweep range = parse_sweep("client.rate=1200..1300:100", "--sweep");
  EXPECT_FALSE(knee(range, sweep(Scenario{}, range, predict_with(Engine::fluid))));
  range = parse_sweep("service.queue=50..100:50", "--sweep");
  EXPECT_FALSE(knee(range, sweep(Scenario{}, range, predict_with(Engine::fluid))));
}

// In a second the queue does not fill: all that is offered beyond the ceiling still seems to be
// kept.
TEST(Sweep, HasNoKneeAboveTheCeilingHoweverShortItsRuns) {
  Scenario s;
  s.client.duration = std::chrono::seconds(1);
  const Sweep range = parse_sweep("client.rate=960..1060:20", "--sweep");
  for (const Engine e : {Engine::simulate, Engine::fluid}) {
    const auto steps = sweep(s, range, predict_with(e));
    const auto found = knee(range, steps);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->rate, 1000) << steps.front().tally.engine;
    EXPECT_NEAR(steps.back().tally.settled.goodput_per_s.value(), 0, 10)
        << "it comes to rest after the run";
    EXPECT_GE(steps.back().tally.settling.from_s.value(), 1);
  }
}

TEST(Sweep, HasNoKneeAmongLoadsThatDoNotSettle) {
  const Sweep range = parse_sweep("client.rate=600..700:100", "--sweep");
  const auto unsettled = [](const Scenario&) {
    Tally t;
    t.settling.reason = "the queue still rises";
    return t;
  };
  EXPECT_FALSE(knee(range, sweep(Scenario{}, range, unsettled)));
}

TEST(Sweep, RefusesAValueThatDoesNotFitTheScenario) {
  const Sweep range = parse_sweep("client.rate=0..100:50", "--sweep");
  EXPECT_THROW(sweep(Scenario{}, range, predict_with(Engine::fluid)), InvalidInput);
}

const Change& change_of(const Advice& a, std::string_view field) {
  const auto found = std::find_if(a.changes.begin(), a.changes.end(),
                                  [&](const Change& c) { return c.field == field; });
  EXPECT_NE(found, a.changes.end()) << field;
  return *found;
}

TEST(Advice, TellsWhatEachSingleChangeBuysTheCollapsedBench) {
  Scenario s;
  s.client.rate = 1200;
  s.client.retries = 2;
  for (const Engine e : {Engine::fluid, Engine::stationary, Engine::simulate}) {
    const Advice a = advise(s, engine_names[static_cast<std::size_t>(e)], predict_with(e));
    SCOPED_TRACE(a.text);
    EXPECT_EQ(a.useful_queue, 79);
    EXPECT_EQ(a.queue, 100);
    EXPECT_EQ(a.beyond, 21);
    EXPECT_EQ(a.offered_per_s, 1200);
    EXPECT_NEAR(a.ceiling_per_s, 1000, 1e-9);
    EXPECT_NEAR(a.goodput_per_s, 0, 10);
    // A useful queue gives the ceiling back; workers carry the load; fewer retries save nothing.
    EXPECT_NEAR(change_of(a, "service.queue").gain_per_s, 1000, 20);
    EXPECT_NEAR(change_of(a, "client.timeout").gain_per_s, 1000, 20);
    EXPECT_NEAR(change_of(a, "service.workers").gain_per_s, 1200, 20);
    EXPECT_NEAR(change_of(a, "client.retries").gain_per_s, 0, 20);
    EXPECT_EQ(a.changes.front().field, "service.workers");
    EXPECT_THAT(a.text, AllOf(HasSubstr("queue of 79"), HasSubstr("21 beyond"),
                              HasSubstr("service.workers"), HasSubstr("client.retries 0")));
    EXPECT_THAT(a.text, Not(HasSubstr("\n")));
  }
}

TEST(Advice, FindsNothingToMendInAHealthyScenario) {
  Scenario s;
  s.client.rate = 700;
  s.service.queue = 50;
  const Advice a = advise(s, "fluid", predict_with(Engine::fluid));
  EXPECT_EQ(a.beyond, 0);
  for (const Change& c : a.changes) EXPECT_NEAR(c.gain_per_s, 0, 1e-6);
  EXPECT_THAT(a.text, AllOf(HasSubstr("stay within it"), HasSubstr("No single change")));
}

TEST(Advice, WarnsOfAnotherSettledState) {
  Scenario s;
  s.client.rate = 700;
  s.client.retries = 3;
  s.client.arrivals = ArrivalProcess::poisson;
  const Advice a = advise(s, "stationary", predict_with(Engine::stationary));
  EXPECT_NEAR(a.goodput_per_s, 700, 1);
  EXPECT_THAT(a.text, HasSubstr("another settled state, 2800 attempts/s for 0/s"));
}

TEST(Advice, IsNotGivenOnAFigureThatHasNotSettled) {
  const auto unsettled = [](const Scenario&) {
    Tally t;
    t.engine = "simulate";
    t.settling.reason = "the queue still rises";
    return t;
  };
  EXPECT_THROW(advise(Scenario{}, "simulate", unsettled), InvalidInput);
}

TEST(WeightedQuantiles, AreThoseOfTheValuesTheWeightsStandFor) {
  const Quantiles q = weighted_quantiles({{0.010, 50}, {0.020, 40}, {0.100, 10}, {5, 0}});
  EXPECT_NEAR(*q.mean, (0.5 + 0.8 + 1.0) * 10, 1e-9);
  EXPECT_NEAR(*q.p50, 10, 1e-12);
  EXPECT_NEAR(*q.p90, 20, 1e-12);
  EXPECT_NEAR(*q.p99, 100, 1e-12);
  EXPECT_NEAR(*q.max, 100, 1e-12);
  EXPECT_FALSE(weighted_quantiles({}).mean);
}

}  // namespace
}  // namespace retrystorm
