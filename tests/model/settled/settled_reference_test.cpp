// Every entry of queueing_reference.json on retries: fixed points, folds, hitting times.
#include "model/markov/metastable.hpp"
#include "model/settled/stationary.hpp"
#include "tests/model/reference.hpp"

#include <charconv>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

using reference::entries_of;
using reference::Entry;
using reference::expect_near;
using reference::expect_value;

// The reference's service: M/M/20/120, work 20 ms, timeout 100 ms, no round trip.
Scenario reference_scenario(std::int64_t retries, Duration backoff) {
  Scenario s;
  s.client.arrivals = ArrivalProcess::poisson;
  s.service.work_shape = WorkShape::exponential;
  s.network.round_trip = 0ns;
  s.client.retries = retries;
  s.client.backoff = backoff;
  return s;
}

std::vector<SettledState> states_with_120_in_system(const Scenario& s) {
  const SettledService service(s);
  return settled_states(
      s.client.rate, RetryRule(s.client), [&](double rate) { return service.shares(rate); },
      ceiling(s), 120);
}

class SettledReference : public ::testing::TestWithParam<Entry> {
 protected:
  const Entry& e = GetParam();
};

class FixedPointsLongAfter : public SettledReference {};
INSTANTIATE_TEST_SUITE_P(Reference, FixedPointsLongAfter,
                         ::testing::ValuesIn(entries_of("fp_plain_")), reference::test_name);

TEST_P(FixedPointsLongAfter, AreAllFound) {
  Scenario s = reference_scenario(e.whole("r"), 10s);
  s.client.rate = e.param("lambda");
  const auto states = states_with_120_in_system(s);
  const auto& roots = e.values.at("roots").as_array();
  ASSERT_EQ(states.size(), roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const auto root = [&](const char* name) { return roots[i].at(name).to_number<double>(); };
    expect_near(e, "attempts_per_s", states[i].attempts_per_s, root("attempts_per_s"));
    expect_near(e, "goodput_per_s", states[i].goodput_per_s, root("goodput_per_s"));
    expect_near(e, "fail_prob", states[i].shares.refused + states[i].shares.late,
                root("fail_prob"));
    EXPECT_EQ(states[i].stable, i % 2 == 0);
  }
  // The engine reports the same.
  const Tally t = stationary(s);
  ASSERT_EQ(t.fixed_points.size(), roots.size());
  EXPECT_EQ(*t.settled.attempts_per_s, states.front().attempts_per_s);
}

class FixedPointsAtOnce : public SettledReference {};
INSTANTIATE_TEST_SUITE_P(Reference, FixedPointsAtOnce, ::testing::ValuesIn(entries_of("fp_burst_")),
                         reference::test_name);

TEST_P(FixedPointsAtOnce, AreAllFound) {
  Scenario s = reference_scenario(e.whole("r"), 0ms);
  s.client.rate = e.param("lambda");
  const auto states = states_with_120_in_system(s);
  const auto& roots = e.values.at("roots").as_array();
  ASSERT_EQ(states.size(), roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const auto root = [&](const char* name) { return roots[i].at(name).to_number<double>(); };
    expect_near(e, "distinct_epochs", states[i].epochs_per_s, root("distinct_epochs_per_s"));
    expect_near(e, "attempts_per_s", states[i].attempts_per_s, root("attempts_per_s"));
    expect_near(e, "goodput_per_s", states[i].goodput_per_s, root("goodput_per_s"));
    expect_near(e, "p_late", states[i].shares.late, root("p_late"));
    expect_near(e, "p_reject", states[i].shares.refused, root("p_reject"));
  }
}

class FoldRates : public SettledReference {};
INSTANTIATE_TEST_SUITE_P(Reference, FoldRates, ::testing::ValuesIn(entries_of("fold_")),
                         reference::test_name);

TEST_P(FoldRates, AgreeWithTheReference) {
  const auto found = folds(reference_scenario(e.whole("r"), 10s));
  ASSERT_TRUE(found);
  expect_value(e, "upper_fold_lambda", found->upper.rate);
  expect_value(e, "lower_fold_lambda", found->lower.rate);
  // Where on the flat top it lies the reference knows to its grid of 1.5/s.
  EXPECT_NEAR(found->upper.epochs_per_s, e.value("Lambda_at_upper"), 1.5);
  EXPECT_NEAR(found->lower.epochs_per_s, e.value("Lambda_at_lower"), 1.5);
}

OrbitChain chain_of(const Entry& e) {
  return {e.param("lambda"), e.param("mu"), e.whole("c"),    e.whole("N_total"),
          e.whole("n_late"), e.param("q"),  e.param("theta")};
}

OrbitState start_of(const Entry& e) {
  const auto& start = e.params.at("start").as_array();
  return {start[0].as_int64(), start[1].as_int64()};
}

class HittingTimeCollapse : public SettledReference {};
INSTANTIATE_TEST_SUITE_P(Reference, HittingTimeCollapse,
                         ::testing::ValuesIn(entries_of("hit_collapse_")), reference::test_name);

TEST_P(HittingTimeCollapse, AgreesWithTheReference) {
  const std::string target(e.params.at("target").as_string());
  ASSERT_TRUE(target.starts_with("m>="));
  std::int64_t orbit = 0;
  std::from_chars(target.data() + 3, target.data() + target.size(), orbit);
  expect_value(e, "mean_time_s", mean_time_to_orbit_s(chain_of(e), start_of(e), orbit));
  // The same from the scenario: its start and its target are the reference's.
  Scenario s = reference_scenario(3, 0ms);
  s.client.rate = e.param("lambda");
  const auto times = metastable_times(s);
  ASSERT_TRUE(times);
  expect_value(e, "mean_time_s", times->collapse_s);
}

class HittingTimeRecovery : public SettledReference {};
INSTANTIATE_TEST_SUITE_P(Reference, HittingTimeRecovery,
                         ::testing::ValuesIn(entries_of("hit_recover_")), reference::test_name);

TEST_P(HittingTimeRecovery, AgreesWithTheReference) {
  ASSERT_EQ(e.params.at("target").as_string(), "m==0 and n<=20");
  expect_value(e, "mean_time_s",
               mean_time_to_recover_s(chain_of(e), start_of(e), e.whole("orbit_truncation")));
}

}  // namespace
}  // namespace retrystorm
