// Several classes of clients before one service, on virtual time.
#include "core/classes.hpp"

#include "core/figures.hpp"
#include "core/policy/backoffs.hpp"
#include "model/simulate/course.hpp"
#include "model/simulate/simulate.hpp"
#include "tests/alike_classes.hpp"

#include <map>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

// The tally without its classes, as text.
std::string whole_of(Tally tally) {
  tally.classes.clear();
  return boost::json::serialize(to_json(tally));
}

Scenario overloaded() {
  Scenario s;
  s.client.rate = 1200;
  s.client.retries = 2;
  return s;
}

// Room for all: each request takes the round trip and the work of its class.
TEST(ClassesWithWork, HoldTheirWorkerForIt) {
  Scenario s;
  s.client.rate = 100;
  s = in_classes(s, {1, 1, 1});
  s.classes[0].work = 5ms;
  s.classes[2].work = 80ms;
  const Tally t = simulate(s);
  const Duration works[] = {5ms, s.service.work, 80ms};
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(t.classes[c].counts.succeeded, 200);
    const double expected = milliseconds(works[c] + s.network.round_trip);
    EXPECT_NEAR(*t.classes[c].request.max, expected, 0.01 * expected) << "class " << c;
    EXPECT_NEAR(*t.classes[c].request.mean, expected, 0.01 * expected) << "class " << c;
  }
}

TEST(ClassesWithWork, AsTheServiceHasItActAsThoseWithout) {
  Scenario s = in_classes(overloaded(), {1, 2});
  const std::string before = whole_of(simulate(s));
  for (ClientClass& one : s.classes) one.work = s.service.work;
  EXPECT_EQ(whole_of(simulate(s)), before);
  s.service.work_shape = WorkShape::exponential;
  const Tally drawn = simulate(s);
  for (ClientClass& one : s.classes) one.work.reset();
  EXPECT_EQ(whole_of(drawn), whole_of(simulate(s))) << "scaled by nothing";
}

TEST(ClassesWithWork, LeaveWorkThatWasMeasuredAsItIs) {
  Scenario s = in_classes(Scenario(), {1, 1});
  s.client.rate = 10;
  for (ClientClass& one : s.classes) one.client.rate = 10;
  s.classes[1].work = 80ms;
  const Replay replay{{}, std::vector<Duration>(1000, Duration(30ms))};
  const Tally t = simulate(s, {&replay, {}, nullptr});
  const double expected = milliseconds(30ms + s.network.round_trip);
  for (const Tally& of_class : t.classes) {
    EXPECT_NEAR(*of_class.request.max, expected, 0.01 * expected);
  }
}

// Even arrivals, fixed work and retries at once put many events on one instant: if the classes'
// events did not come in the order in which they were scheduled, the counts would differ.
TEST(ClassesThatAreAlike, ActAsOne) {
  Scenario no_way = overloaded();
  no_way.network.round_trip = 0ns;
  Scenario backing_off = overloaded();
  backing_off.client.backoff = 50ms;
  Scenario capped = overloaded();
  capped.client.max_in_flight = 70;
  Scenario poisson = overloaded();
  poisson.client.arrivals = ArrivalProcess::poisson;
  poisson.client.backoff = 7ms;
  poisson.client.backoff_shape = ExponentialBackoff();
  Scenario cut = overloaded();
  cut.simulation.horizon = 3s;
  for (const Scenario& one : {overloaded(), no_way, backing_off, capped, poisson, cut}) {
    for (const Scenario& several : {in_classes(one, {1, 1}), in_classes(one, {0.5, 3, 1.25})}) {
      const Tally tally = simulate(several);
      EXPECT_EQ(tally.classes.size(), several.classes.size());
      EXPECT_EQ(whole_of(tally), whole_of(simulate(one)));
    }
  }
}

TEST(ClassesThatAreAlike, ActAsOneInANoisyWorldToo) {
  SimulateOptions options;
  options.noise = Noise{50us, 20us, 5us, 100us};
  EXPECT_EQ(whole_of(simulate(in_classes(overloaded(), {2, 3}), options)),
            whole_of(simulate(overloaded(), options)));
}

// Three quarters hasty clients that retry, a quarter patient ones that do not.
Scenario hasty_and_patient() {
  Scenario s;
  s.client.rate = 1200;
  s = in_classes(s, {3, 1});
  s.classes[0].client.timeout = 60ms;
  s.classes[0].client.retries = 3;
  s.classes[1].client.timeout = 400ms;
  s.classes[1].client.retry_on = {};
  return s;
}

TEST(ClassesThatDiffer, KeepTheIdentitiesEachAndAddUpToTheWhole) {
  Scenario cut = hasty_and_patient();
  cut.simulation.horizon = 2s;
  Scenario poisson = hasty_and_patient();
  poisson.client.arrivals = ArrivalProcess::poisson;
  for (ClientClass& c : poisson.classes) c.client.arrivals = ArrivalProcess::poisson;
  poisson.service.work_shape = WorkShape::exponential;
  for (const Scenario& s : {hasty_and_patient(), cut, poisson}) {
    const Tally tally = simulate(s);
    ASSERT_EQ(tally.classes.size(), 2U);
    std::map<std::string, double> sums;
    for (const Tally& of_class : tally.classes) {
      EXPECT_EQ(broken_identities(of_class.counts), std::vector<std::string>{});
      const auto add = [&](std::string_view name, const Count& count) {
        sums[std::string(name)] += count.value();
      };
      visit_counts(of_class.counts, add);
      add("goodput", of_class.whole.goodput_per_s);
      add("settled goodput", of_class.settled.goodput_per_s);
    }
    visit_counts(tally.counts, [&](std::string_view name, const Count& count) {
      EXPECT_EQ(sums[std::string(name)], count.value()) << name;
    });
    EXPECT_NEAR(sums["goodput"], tally.whole.goodput_per_s.value(), 1e-9);
    EXPECT_NEAR(sums["settled goodput"], tally.settled.goodput_per_s.value(), 1e-9);
    EXPECT_EQ(broken_identities(tally.counts), std::vector<std::string>{});
  }
}

TEST(ClassesThatDiffer, EachDoAsTheirSettingsSay) {
  const Tally tally = simulate(hasty_and_patient());
  const Counts& hasty = tally.classes[0].counts;
  const Counts& patient = tally.classes[1].counts;
  EXPECT_EQ(hasty.offered, 5400);
  EXPECT_EQ(patient.offered, 1800);
  EXPECT_EQ(patient.attempts, patient.offered) << "they do not retry";
  EXPECT_GT(hasty.attempts, 2 * *hasty.offered);
  EXPECT_EQ(patient.timed_out, 0) << "a full queue takes 120 ms";
  EXPECT_EQ(patient.abandoned, 0);
  EXPECT_GT(hasty.timed_out, 0);
  EXPECT_GT(hasty.abandoned, 0);
  EXPECT_LE(*tally.classes[0].request.max, 4 * 60.1);
  EXPECT_GT(*tally.classes[1].request.p50, 100) << "milliseconds, behind a full queue";
}

TEST(ClassesThatDiffer, HaveASpreadEachOverSeeds) {
  Scenario s = hasty_and_patient();
  s.service.work_shape = WorkShape::exponential;
  const Tally band = simulate_band(s, 3);
  double sum = 0;
  for (int i = 0; i < 3; ++i, ++s.seed) sum += *simulate(s).classes[1].counts.succeeded;
  EXPECT_NEAR(*band.classes[1].counts.succeeded, sum / 3, 1e-9);
  EXPECT_NEAR(band.classes[1].spread.at("counts.succeeded").mean, sum / 3, 1e-9);
  EXPECT_GT(band.classes[1].spread.at("counts.succeeded").sd, 0);
}

TEST(ClassesThatDiffer, HaveNoCourseYet) {
  EXPECT_FALSE(predict_series(hasty_and_patient(), 6s, 100ms));
  EXPECT_TRUE(predict_series(overloaded(), 6s, 100ms));
}

}  // namespace
}  // namespace retrystorm
