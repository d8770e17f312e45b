// Whole mornings: what must hold in each of them, whoever is at the controls.
#include "model/oncall/morning.hpp"

#include "core/json.hpp"
#include "model/oncall/print.hpp"
#include "model/oncall/script.hpp"
#include "model/oncall/step.hpp"
#include "model/oncall/study.hpp"
#include "tests/seed.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm::oncall {
namespace {
using ::testing::HasSubstr;

constexpr Scenario scenarios[] = {Scenario::steady, Scenario::bad_deploy, Scenario::surge,
                                  Scenario::cold_cache};

Morning morning(Scenario scenario, std::uint32_t seed, std::size_t who) {
  const Day day = day_of(scenario, {});
  return play(day, seed, operator_of(who), day.closing_clock);
}

// A share, up to the rounding of a sum.
void expect_share(double value, const char* what) {
  EXPECT_GE(value, 0) << what;
  EXPECT_LE(value, 1) << what;
}

void expect_possible(const Minute& before, const Minute& now) {
  EXPECT_EQ(now.minute, before.minute + 1);
  EXPECT_LE(now.budget_left, before.budget_left) << "spent budget never falls";
  EXPECT_GE(now.cost, before.cost) << "cost never falls";
  EXPECT_GE(now.requests_per_s, 0);
  EXPECT_GE(now.instances_serving, 1);
  EXPECT_LE(now.instances_serving + now.instances_booting, 40);
  expect_share(now.hit_rate, "hit_rate");
  expect_share(now.shed_share / 0.3, "shed_share");
  expect_share(now.bad_share, "bad_share");
  expect_share(now.error_rate, "error_rate");
  expect_share(now.utilization, "utilization");
  EXPECT_GE(now.database_utilization, 0);
  EXPECT_LE(now.p99_ms, 2000);
  EXPECT_GE(now.burn_1h, 0);
  EXPECT_LE(now.burn_1h, 1000.001);
}

TEST(Mornings, OfEveryOperatorArePossibleOnes) {
  for (const Scenario scenario : scenarios) {
    for (std::size_t who = 0; who < operator_names.size(); ++who) {
      for (const std::uint32_t seed : seeds(0U, 24U)) {
        const Seed shown(seed);
        SCOPED_TRACE(fmt::format("{} {}", name(scenario), operator_names[who]));
        const Morning m = morning(scenario, seed, who);
        for (std::size_t i = 1; i < m.minutes.size(); ++i) {
          expect_possible(m.minutes[i - 1], m.minutes[i]);
          EXPECT_GE(m.minutes[i].instances_serving + m.minutes[i].instances_booting, 10)
              << "nobody lowers the floor";
        }
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Mornings, UnderAnyMovesArePossibleOnes) {
  for (const std::uint32_t seed : seeds(1U, 60U)) {
    const Seed shown(seed);
    const Day day = day_of(scenarios[seed % 4], {});
    Mulberry32 random(seed);
    Stepped now = opening(day, seed);
    while (now.minute.clock < day.closing_clock) {
      std::vector<Action> actions;
      if (random.uniform() < 0.3) {
        const auto control = static_cast<Control>(8 * random.uniform());
        double value = random.uniform();
        if (control == Control::floor) value = 1 + std::floor(40 * value);
        if (control == Control::ttl) value = 1 + 3000 * value;
        if (control == Control::target) value = 0.01 + 0.99 * value;
        if (control == Control::tracking || control == Control::recommendations) {
          value = std::round(value);
        }
        if (control == Control::warm_up || control == Control::rollback) value = 1;
        ASSERT_TRUE(fits(control, value, day.constants)) << name(control) << ' ' << value;
        actions.push_back({now.minute.minute + 1, control, value});
      }
      Stepped next = step(now.state, day, actions);
      expect_possible(now.minute, next.minute);
      EXPECT_GE(next.state.fleet.all(), next.state.controls.floor) << "floor respected";
      if (!next.state.controls.tracking) {
        EXPECT_EQ(next.state.fleet.all(), next.state.controls.floor) << "exactly the floor";
      }
      ASSERT_FALSE(HasFailure()) << "minute " << next.minute.minute;
      now = std::move(next);
    }
  }
}

TEST(Mornings, OfOneSeedAreTheSameByteForByte) {
  for (const Scenario scenario : scenarios) {
    for (std::size_t who = 0; who < operator_names.size(); ++who) {
      const Title title{scenario, 7, std::string(operator_names[who])};
      EXPECT_EQ(to_json_text(title, morning(scenario, 7, who)),
                to_json_text(title, morning(scenario, 7, who)));
      EXPECT_EQ(to_csv(title, morning(scenario, 7, who)), to_csv(title, morning(scenario, 7, who)));
    }
    EXPECT_NE(to_csv({scenario, 7, ""}, morning(scenario, 7, 0)),
              to_csv({scenario, 7, ""}, morning(scenario, 8, 0)));
  }
}

TEST(Mornings, OfOneSeedHaveTheSameTrafficUnderEveryOperator) {
  for (const Scenario scenario : scenarios) {
    const Morning none = morning(scenario, 11, 0);
    const Morning panic = morning(scenario, 11, 2);
    for (std::size_t i = 0; i < none.minutes.size(); ++i) {
      ASSERT_EQ(none.minutes[i].requests_per_s, panic.minutes[i].requests_per_s);
    }
  }
}

TEST(Morning, AddsUpInItsSummary) {
  const Morning m = morning(Scenario::surge, 3, 1);
  double requests = 0;
  double cost = 0;
  double burn = 0;
  for (std::size_t i = 1; i < m.minutes.size(); ++i) {
    requests += 60 * m.minutes[i].requests_per_s;
    cost += m.minutes[i].fleet_cost_per_hour / 60;
    burn += m.minutes[i].error_rate / 0.001;
  }
  EXPECT_NEAR(m.summary.requests, requests, 1e-6 * requests);
  EXPECT_NEAR(m.summary.cost, cost, 1e-9 * cost);
  EXPECT_NEAR(m.summary.budget_spent, burn / 43'200, 1e-9);
  EXPECT_EQ(m.minutes.size(), 241U);
  EXPECT_EQ(m.minutes.back().clock, 12 * 60);
}

TEST(ScriptedOperator, DoesItsScriptAndSaysWhatItDidNotReach) {
  const Day day = day_of(Scenario::bad_deploy, {});
  const ScriptedOperator who(script_from_toml(R"(
    action = [{time = "09:16", control = "rollback", value = true},
              {time = "09:16", control = "shed", value = 0.5},
              {time = "11:00", control = "shed", value = 0}])",
                                              "s.toml", day));
  const Morning m = play(day, 7, who, 10 * 60);
  EXPECT_EQ(m.summary.actions, 2U);
  EXPECT_EQ(m.summary.actions_not_reached, 1U);
  EXPECT_TRUE(m.minutes[76].rolling_back);
  EXPECT_EQ(m.minutes[80].bad_share, 1);
  EXPECT_EQ(m.minutes[81].bad_share, 0);
  EXPECT_THAT(to_table({day.scenario, 7, "s.toml"}, m, 10),
              HasSubstr("1 of the script not reached"));
}

TEST(TextbookOperator, RollsBackOnceAndWaits) {
  const Morning m = morning(Scenario::bad_deploy, 7, 1);
  const auto preparing = std::count_if(m.minutes.begin(), m.minutes.end(),
                                       [](const Minute& now) { return now.rolling_back; });
  EXPECT_EQ(preparing, 5);
  EXPECT_EQ(m.minutes.back().bad_share, 0);
}

TEST(PanicOperator, PressesAgainAndProlongsTheOutage) {
  const Morning panic = morning(Scenario::bad_deploy, 7, 2);
  const Morning textbook = morning(Scenario::bad_deploy, 7, 1);
  const auto bad_minutes = [](const Morning& m) {
    return std::count_if(m.minutes.begin(), m.minutes.end(),
                         [](const Minute& now) { return now.bad_share > 0; });
  };
  EXPECT_GT(bad_minutes(panic), bad_minutes(textbook));
  EXPECT_GT(panic.summary.cost, 2 * textbook.summary.cost);
  EXPECT_EQ(panic.minutes.back().instances_serving, 40) << "keeps the machines";
}

TEST(Operators, OnASteadyMorningTouchNothing) {
  for (std::size_t who = 0; who < operator_names.size(); ++who) {
    EXPECT_EQ(morning(Scenario::steady, 7, who).summary.actions, 0U) << operator_names[who];
  }
}

TEST(Results, SayThatTheyAreATeachingModels) {
  const Morning m = morning(Scenario::steady, 1, 0);
  const Title title{Scenario::steady, 1, "none"};
  const Day day = day_of(Scenario::steady, {});
  const Study s = study(day, 1, 2, {{"none", operator_of(0)}}, 9 * 60, [] { return false; });
  for (const std::string& text : {to_table(title, m, 1), to_csv(title, m), to_json_text(title, m),
                                  to_table(s), to_csv(s), to_json_text(s)}) {
    EXPECT_THAT(text, HasSubstr("not for operational decisions"));
  }
}

TEST(MorningAsJson, HasTheAgreedKeysTheOpeningFirst) {
  const auto value =
      parse_json(to_json_text({Scenario::surge, 9, "a \"b\".toml"}, morning(Scenario::surge, 9, 0)),
                 "json")
          .as_object();
  EXPECT_EQ(value.at("scenario"), "surge");
  EXPECT_EQ(value.at("seed"), 9);
  EXPECT_EQ(value.at("operator"), "a \"b\".toml");
  const auto& minutes = value.at("minutes").as_array();
  ASSERT_EQ(minutes.size(), 241U);
  for (const char* key :
       {"minute", "clock", "requests_per_s", "instances_serving", "instances_booting", "hit_rate",
        "database_utilization", "shed_share", "fleet_cost_per_hour", "cost", "cached_age_s",
        "bad_share", "recommendations_share", "error_rate", "p99_ms", "burn_1h", "budget_left"}) {
    EXPECT_TRUE(minutes[0].as_object().contains(key)) << key;
  }
  EXPECT_EQ(minutes[0].at("minute"), 0);
  EXPECT_EQ(minutes[0].at("clock"), "08:00");
  EXPECT_EQ(minutes[0].at("requests_per_s"), 1125);
  EXPECT_EQ(minutes[240].at("clock"), "12:00");
  EXPECT_TRUE(value.at("summary").as_object().contains("budget_left"));
}

TEST(MorningAsCsv, HasALineAMinuteUnderItsHeader) {
  const std::string csv = to_csv({Scenario::steady, 1, "none"}, morning(Scenario::steady, 1, 0));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2 + 1 + 241);
  EXPECT_THAT(csv, HasSubstr("\nminute,clock,requests_per_s,"));
  EXPECT_THAT(csv, HasSubstr("\n0,08:00,1125,10,0,0.77142857142857"));
}

TEST(Study, PlaysEachSeedWithEachOperator) {
  const Day day = day_of(Scenario::bad_deploy, {});
  const std::vector<NamedOperator> all{
      {"none", operator_of(0)}, {"textbook", operator_of(1)}, {"panic", operator_of(2)}};
  const Study s = study(day, 5, 10, all, day.closing_clock, [] { return false; });
  EXPECT_EQ(s.mornings.size(), 30U);
  const Morning seven = morning(Scenario::bad_deploy, 7, 1);
  const auto found = std::find_if(s.mornings.begin(), s.mornings.end(), [](const Played& p) {
    return p.seed == 7 && p.who == "textbook";
  });
  EXPECT_EQ(found->summary.budget_left, seven.summary.budget_left);
  EXPECT_EQ(found->summary.cost, seven.summary.cost);
  const Distribution cost = distribution(s, "textbook", &Summary::cost);
  EXPECT_LE(cost.least, cost.median);
  EXPECT_LE(cost.median, cost.most);
  EXPECT_GE(cost.spread.mean, cost.least);
  EXPECT_LE(cost.spread.mean, cost.most);
  const std::string csv = to_csv(s);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3 + 30);
}

TEST(Study, GivesASpreadsheetNoOperatorToRun) {
  const Day day = day_of(Scenario::steady, {});
  const Study s =
      study(day, 1, 1, {{"=1+1", operator_of(0)}}, day.closing_clock, [] { return false; });
  EXPECT_NE(to_csv(s).find("\n\"'=1+1\",1,"), std::string::npos);
}

TEST(Study, PricesDecisionsAgainstTheFirstOperatorSeedBySeed) {
  const Day day = day_of(Scenario::bad_deploy, {});
  const Study s = study(day, 5, 4, {{"none", operator_of(0)}, {"panic", operator_of(2)}},
                        day.closing_clock, [] { return false; });
  Price expected;
  for (std::uint32_t seed = 5; seed < 9; ++seed) {
    const Summary panic = morning(Scenario::bad_deploy, seed, 2).summary;
    const Summary none = morning(Scenario::bad_deploy, seed, 0).summary;
    expected.budget += (panic.budget_left - none.budget_left) / 4;
    expected.cost += (panic.cost - none.cost) / 4;
    expected.shed += (panic.shed - none.shed) / 4;
  }
  const Price price = price_of(s, "panic");
  EXPECT_NEAR(price.budget, expected.budget, 1e-12);
  EXPECT_NEAR(price.cost, expected.cost, 1e-9);
  EXPECT_NEAR(price.shed, expected.shed, 1e-3);
  EXPECT_GT(price.cost, 0);
  EXPECT_EQ(price_of(s, "none").cost, 0);
  EXPECT_THAT(to_table(s), HasSubstr("What decisions cost, against none"));
}

TEST(Study, InterruptedKeepsTheMorningsSoFar) {
  const Day day = day_of(Scenario::steady, {});
  int asked = 0;
  const Study s = study(day, 1, 100, {{"none", operator_of(0)}, {"panic", operator_of(2)}}, 9 * 60,
                        [&] { return ++asked > 3; });
  EXPECT_TRUE(s.interrupted);
  EXPECT_EQ(s.mornings.size(), 6U);
  EXPECT_THAT(to_table(s), HasSubstr("interrupted"));
  const Study nothing = study(day, 1, 100, {{"none", operator_of(0)}}, 9 * 60, [] { return true; });
  EXPECT_TRUE(nothing.mornings.empty());
  EXPECT_THAT(to_table(nothing), HasSubstr("0 mornings"));
}

}  // namespace
}  // namespace retrystorm::oncall
