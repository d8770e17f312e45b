// Extreme scenarios through every engine: answered within what they may cost, or refused in one
// line; and estimates held against the work that is counted, never against time.
#include "model/effort.hpp"

#include "core/error.hpp"
#include "model/advice.hpp"
#include "model/engines.hpp"
#include "model/honours.hpp"
#include "model/markov/metastable.hpp"
#include "model/settled/second_state.hpp"
#include "model/settled/stationary.hpp"
#include "model/sweep.hpp"
#include "model/turning_points.hpp"
#include "tests/model/scenarios.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

struct Extreme {
  const char* name;
  void (*set)(Scenario&);
};

constexpr Extreme extremes[] = {
    {"as it is", [](Scenario&) {}},
    {"work of 1us", [](Scenario& s) { s.service.work = 1us; }},
    {"work of 1us, one worker, overloaded with retries",
     [](Scenario& s) {
       s.service.work = 1us;
       s.service.workers = 1;
       s.client.rate = 2e6;
       s.client.duration = 50ms;
       s.client.retries = 2;
     }},
    {"work of 1us, nobody in time, retries",
     [](Scenario& s) {
       s.service.work = 1us;
       s.client.timeout = 150us;
       s.client.retries = 3;
     }},
    {"work of 1h", [](Scenario& s) { s.service.work = 1h; }},
    {"timeout of 1us", [](Scenario& s) { s.client.timeout = 1us; }},
    {"timeout of 1us, retries",
     [](Scenario& s) {
       s.client.timeout = 1us;
       s.client.retries = 3;
     }},
    {"timeout of 1h, retries",
     [](Scenario& s) {
       s.client.timeout = 1h;
       s.client.rate = 1200;
       s.client.retries = 2;
     }},
    {"backoff of 1h",
     [](Scenario& s) {
       s.client.backoff = 1h;
       s.client.retries = 3;
       s.client.rate = 1200;
     }},
    {"queue of 10,000",
     [](Scenario& s) {
       s.service.queue = 10'000;
       s.client.rate = 2000;
       s.client.retries = 2;
     }},
    {"queue of 1,000",
     [](Scenario& s) {
       s.service.queue = 1000;
       s.client.rate = 800;
       s.client.retries = 2;
     }},
    {"queue of 1,000,000", [](Scenario& s) { s.service.queue = 1'000'000; }},
    {"queue of 1,000,000, one worker",
     [](Scenario& s) {
       s.service.queue = 1'000'000;
       s.service.workers = 1;
       s.client.retries = 1;
     }},
    {"100,000 workers", [](Scenario& s) { s.service.workers = 100'000; }},
    {"100,000 workers, retries, overloaded",
     [](Scenario& s) {
       s.service.workers = 100'000;
       s.client.rate = 1e5;
       s.client.retries = 3;
     }},
    {"a million a second for an hour",
     [](Scenario& s) {
       s.client.rate = 1e6;
       s.client.duration = 1h;
     }},
    {"a thousand retries",
     [](Scenario& s) {
       s.client.retries = 1000;
       s.client.rate = 1200;
     }},
    {"a day", [](Scenario& s) { s.client.duration = 24h; }},
    {"a day of overload with retries",
     [](Scenario& s) {
       s.client.duration = 24h;
       s.client.rate = 1200;
       s.client.retries = 2;
     }},
};

struct Shape {
  const char* name;
  ArrivalProcess arrivals;
  WorkShape work;
};
constexpr Shape shapes[] = {
    {"even, fixed", ArrivalProcess::even, WorkShape::fixed},
    {"even, exponential", ArrivalProcess::even, WorkShape::exponential},
    {"Poisson, fixed", ArrivalProcess::poisson, WorkShape::fixed},
    {"Poisson, exponential", ArrivalProcess::poisson, WorkShape::exponential}};

Scenario extreme_of(const Extreme& extreme, const Shape& shape) {
  Scenario s = scenario_of(shape.arrivals, shape.work, 1000);
  extreme.set(s);
  return s;
}

void for_each_extreme(const std::function<void(const Scenario&)>& f) {
  for (const Extreme& extreme : extremes) {
    for (const Shape& shape : shapes) {
      SCOPED_TRACE(fmt::format("{}; {}", extreme.name, shape.name));
      f(extreme_of(extreme, shape));
    }
  }
}

// Each with the engines that take its arrivals and work.
void for_each_case(const std::function<void(const Predictor&, const Scenario&)>& f) {
  for_each_extreme([&](const Scenario& s) {
    for (const Predictor& p : predictors()) {
      const bool simple =
          (s.client.arrivals == ArrivalProcess::even) == (s.service.work_shape == WorkShape::fixed);
      if (p.engine == Engine::simulate && !simple) continue;
      const auto strange = unmodelled(p.engine, s);
      const bool other_shape = std::any_of(strange.begin(), strange.end(), [](const Unmodelled& u) {
        return u.field == "client.arrivals" || u.field == "service.work_shape";
      });
      if (!other_shape) f(p, s);
    }
  });
}

// Little, so that the table is through in seconds in the slowest build.
Effort little() {
  return {{0.06, 50e6}, {}};
}

void expect_one_line(const std::exception& error) {
  EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
}

// f(meter) in little effort: answered, or refused in one line; the meter keeps what it counted.
void expect_bounded(std::string_view who, const Cost& cost, const std::function<void(Meter&)>& f) {
  Meter meter(who, little());
  try {
    require_affordable(who, cost, little());
    f(meter);
  } catch (const InvalidInput& error) {
    expect_one_line(error);
  } catch (const std::domain_error& error) {
    expect_one_line(error);
  }
  EXPECT_LT(meter.seconds(), 4 * little().most.seconds) << who;
}

TEST(Effort, OfEveryEngineIsEnoughForExtremesOrTheyAreRefusedInOneLine) {
  int answered = 0, too_dear = 0;
  for_each_case([&](const Predictor& p, const Scenario& s) {
    try {
      predict(p.engine, s, {true, 1, little()});
      ++answered;
    } catch (const InvalidInput& error) {
      expect_one_line(error);
      EXPECT_THAT(error.what(), HasSubstr("engine "));
      if (std::string_view(error.what()).find("--allow-slow") != std::string_view::npos) ++too_dear;
    }
  });
  EXPECT_GT(answered, 30) << "a budget under which nothing is answered proves nothing";
  EXPECT_GT(too_dear, 30);
}

TEST(Effort, OfWhatStandsBesideTheEnginesIsBoundedToo) {
  for_each_extreme([&](const Scenario& s) {
    if (unmodelled(Engine::stationary, s).empty()) {
      expect_bounded("folds", folds_cost(s), [&](Meter& meter) { folds(s, &meter); });
      expect_bounded("second state", second_state_cost(s),
                     [&](Meter& meter) { second_state(s, &meter); });
    }
    expect_bounded("metastable", metastable_cost(s),
                   [&](Meter& meter) { metastable_times(s, &meter); });
  });
}

// The other way round, an estimate far too high would refuse what is cheap: the bench itself, in
// every shape, costs hardly anything.
TEST(Effort, IsEstimatedNotTooLowAndForTheBenchNotMuchTooHigh) {
  const Effort much = {{2, 500e6}, {}};
  const auto expect_counted = [&](const Predictor& p, const Scenario& s) {
    const PredictOptions options{true, 1, much};
    const Cost cost = p.cost(s, options);
    try {
      Meter meter("test", much);
      p.run(s, options, &meter);
      EXPECT_LE(meter.seconds(), 3 * cost.seconds + 1e-3)
          << engine_names[static_cast<std::size_t>(p.engine)];
    } catch (const InvalidInput& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr("has done the work")));
    }
  };
  for_each_case([&](const Predictor& p, const Scenario& s) {
    const Cost cost = p.cost(s, {});
    if (cost.seconds <= 0.06 && cost.bytes <= 50e6) expect_counted(p, s);
  });
  for (const Shape& shape : shapes) {
    const Scenario s = scenario_of(shape.arrivals, shape.work, 1200);
    for (const Predictor& p : predictors()) {
      expect_counted(p, s);
      EXPECT_LT(p.cost(s, {}).seconds, 1) << shape.name;
      EXPECT_LT(p.cost(s, {}).bytes, 20e6) << shape.name;
    }
  }
}

TEST(Effort, RefusesByEngineEstimateAndRemedy) {
  Scenario s;
  s.client.rate = 1e6;
  s.client.duration = 1h;
  try {
    predict(Engine::simulate, s);
    FAIL() << "answered";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), testing::MatchesRegex("engine simulate: would take about .* s and .* "
                                                    "MB, and may take 20 s and 500 MB; "
                                                    "--allow-slow lets it"));
  }
  // A field that is not modelled is the better reason.
  s.service.work_kind = WorkKind::spin;
  try {
    predict(Engine::simulate, s);
    FAIL() << "answered";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("service.work_kind"));
  }
}

TEST(Effort, OfTheMetastableTimesOfALongQueueIsToldBeforeItsMemoryIsTaken) {
  Scenario s = scenario_of(ArrivalProcess::poisson, WorkShape::exponential, 800);
  s.client.retries = 2;
  EXPECT_NO_THROW(require_affordable("metastable", metastable_cost(s), {}));
  s.service.queue = 1000;
  EXPECT_THROW(require_affordable("metastable", metastable_cost(s), {}), InvalidInput);
}

TEST(Effort, IsForAdviceAndSweepsThatOfAllTheirPredictions) {
  Scenario s;
  s.client.duration = 10min;
  const Cost one = cost_of(Engine::simulate, s);
  EXPECT_GE(advice_cost(s, Engine::simulate, {}).seconds, 6 * one.seconds);
  EXPECT_THROW(advise(s, Engine::simulate, {false, 1, {{3 * one.seconds, 1e9}, {}}}), InvalidInput);
  const Sweep range = parse_sweep("client.timeout=50ms..99ms:1ms", "--sweep");
  EXPECT_NEAR(sweep_cost(s, range, Engine::simulate, {}).seconds, 50 * one.seconds,
              5 * one.seconds);
  EXPECT_THROW(turning_points(s, Engine::simulate, {false, 1, {{0, 0}, {}}}), InvalidInput);
}

// Each look of the meter asks once; the third says yes.
struct Impatient {
  int asked = 0;
  Stop stop() {
    return {[](void* self) { return ++static_cast<Impatient*>(self)->asked >= 3; }, this};
  }
};

TEST(Effort, EndsWhenSomebodyAsksWhateverIsUnderWay) {
  const auto ends = [](std::string_view what, const std::function<void(const Effort&)>& work) {
    Impatient user;
    EXPECT_THROW(work(any_effort(user.stop())), Interrupted) << what;
    EXPECT_EQ(user.asked, 3) << what;
  };
  const auto engine = [&](Engine e, const Scenario& s) {
    ends(engine_names[static_cast<std::size_t>(e)], [&](const Effort& effort) {
      predict(e, s, {true, 1, effort});
    });
  };
  Scenario s;
  s.client.rate = 1e5;
  s.client.duration = 1h;
  engine(Engine::simulate, s);

  s = Scenario{};
  s.service.work = 10us;
  s.service.workers = 1;
  s.client.rate = 2e5;
  s.client.retries = 2;
  engine(Engine::fluid, s);
  s.client.retries = 0;
  s.client.duration = 1h;
  engine(Engine::fluid, s);

  s = scenario_of(ArrivalProcess::poisson, WorkShape::fixed, 40);
  s.service.workers = 1;
  s.service.queue = 100'000;
  s.client.retries = 1;
  engine(Engine::stationary, s);
  s = scenario_of(ArrivalProcess::poisson, WorkShape::exponential, 2000);
  s.service.queue = 10'000;
  s.client.retries = 2;
  engine(Engine::markov, s);

  s.service.queue = 120;
  s.client.rate = 800;
  ends("metastable", [&](const Effort& effort) {
    Meter meter("metastable", effort);
    metastable_times(s, &meter);
  });
}

TEST(Effort, LetsWhatIsAskedForBeAsSlowAsItIs) {
  Scenario s;
  s.client.rate = 10;
  const Cost none = {0, 0};
  EXPECT_THROW(predict(Engine::simulate, s, {false, 1, {none, {}}}), InvalidInput);
  EXPECT_EQ(predict(Engine::simulate, s, {false, 1, any_effort()}).counts.offered, 60);
}

}  // namespace
}  // namespace retrystorm
