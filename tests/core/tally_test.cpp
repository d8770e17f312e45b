#include "core/tally.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "core/tally_figures.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

Tally full_tally() {
  Tally t;
  t.engine = "testbed";
  double next = 1;
  for (const TallyFigure& figure : tally_figures) {
    figure.in(t) = next++ / (figure.kind == FigureKind::count ? 1 : 7);
  }
  t.spread["counts.unfinished.attempts"] = {1, 0.5, 0, 2};
  t.spread["whole.goodput_per_s"] = {65.25, 1, 64, 66};
  t.approximations = {"client.abandon"};
  t.settling = {2, 6, "the queue still rises", 12, "carried on"};
  return t;
}

TEST(Tally, WrittenAsJsonReadsBackEqual) {
  const boost::json::value written = to_json(full_tally());
  const auto text = pretty_json(written);
  EXPECT_EQ(to_json(tally_from_json({parse_json(text, "test"), "test"})), written);
}

TEST(Tally, OfSeveralClassesCarriesEach) {
  Tally t = full_tally();
  EXPECT_FALSE(to_json(t).as_object().contains("classes")) << "one class is the whole";
  t.classes = {full_tally(), full_tally()};
  t.classes[1].counts.offered = 5;
  const boost::json::value written = to_json(t);
  EXPECT_EQ(to_json(tally_from_json({written, "test"})), written);
  EXPECT_EQ(written.at("classes").at(1).at("counts").at("offered"), 5);
}

StageRates stage(std::string name, double goodput) {
  StageRates s{std::move(name), 1, 4, {}, {}};
  s.whole.goodput_per_s = goodput;
  s.whole.seconds = 3;
  s.later.seconds = 2;
  return s;
}

TEST(Tally, OfALoadInStagesCarriesEach) {
  Tally t = full_tally();
  EXPECT_FALSE(to_json(t).as_object().contains("stages"));
  t.stages = {stage("5/s:1s", 4), stage("burst=8/s:3s", 6)};
  const boost::json::value written = to_json(t);
  EXPECT_EQ(to_json(tally_from_json({written, "test"})), written);
  EXPECT_EQ(written.at("stages").at(1).at("stage"), "burst=8/s:3s");
  EXPECT_EQ(written.at("stages").at(1).at("whole").at("goodput_per_s"), 6);
  EXPECT_TRUE(written.at("stages").at(1).at("later").at("goodput_per_s").is_null());
}

TEST(MeanTally, HasTheMeanOfEachStage) {
  std::vector<Tally> tallies(2);
  tallies[0].stages = {stage("5/s:1s", 4)};
  tallies[1].stages = {stage("5/s:1s", 6)};
  const StageRates mean = mean_of(tallies).stages.at(0);
  EXPECT_EQ(mean.stage, "5/s:1s");
  EXPECT_EQ(mean.to_s, 4);
  EXPECT_EQ(mean.whole.goodput_per_s, 5);
  EXPECT_FALSE(mean.later.goodput_per_s);
}

TEST(MeanTally, HasTheMeanAndTheSpreadOfEachClass) {
  Tally t;
  t.classes = {Tally(), Tally()};
  std::vector<Tally> tallies = {t, t};
  tallies[0].classes[1].counts.offered = 3;
  tallies[1].classes[1].counts.offered = 5;
  const Tally mean = mean_of(tallies);
  EXPECT_EQ(mean.classes.at(1).counts.offered, 4);
  EXPECT_EQ(mean.classes.at(1).spread.at("counts.offered").mean, 4);
}

TEST(Tally, UnansweredIsNullNotZeroInJson) {
  Tally t;
  t.engine = "fluid";
  const boost::json::value json = to_json(t);
  EXPECT_TRUE(json.at("counts").at("offered").is_null());
  EXPECT_TRUE(json.at("counts").at("unfinished").at("attempts").is_null());
  EXPECT_TRUE(json.at("latency_ms").at("all").at("p999").is_null());
  EXPECT_FALSE(tally_from_json({json, "test"}).counts.offered);
}

TEST(Tally, OfTheStationaryEngineCarriesItsFixedPoints) {
  Tally t;
  t.engine = "stationary";
  t.fixed_points = {{1000, 990, true}, {2400, 70, false}};
  t.refused_share = 0.25;
  const Tally back = tally_from_json({to_json(t), "test"});
  ASSERT_EQ(back.fixed_points.size(), 2U);
  EXPECT_EQ(back.fixed_points[1].attempts_per_s, 2400);
  EXPECT_FALSE(back.fixed_points[1].stable);
  EXPECT_EQ(back.refused_share, 0.25);
}

TEST(Tally, ThatIsDamagedIsRefusedInOneLine) {
  for (
      const char* text :
      {"[]", "{}", R"({"engine": 1})", R"({"engine": "x", "counts": {}})",
       R"({"engine": "x", "counts": {"unfinished": {}}, "whole": {}, "settled": [], "latency_ms": {}})"}) {
    EXPECT_THROW(tally_from_json({parse_json(text, "t"), "t"}), InvalidInput) << text;
  }
  for (const char* text : {"", "{", "{} {}", "nul", "\xff"}) {
    EXPECT_THROW(parse_json(text, "t"), InvalidInput) << text;
  }
}

TEST(BrokenIdentities, AreNamedWithBothSides) {
  Counts c;
  EXPECT_TRUE(broken_identities(c).empty());
  c.offered = 10;
  c.succeeded = 6;
  c.gave_up = 3;
  c.unsent = 0;
  EXPECT_TRUE(broken_identities(c).empty()) << "not judged: unfinished is unanswered";
  c.unfinished_requests = 0;
  ASSERT_EQ(broken_identities(c).size(), 1U);
  EXPECT_EQ(broken_identities(c)[0],
            "offered = succeeded + gave_up + unsent + unfinished: 10 is not 9");
  c.unfinished_requests = 1;
  EXPECT_TRUE(broken_identities(c).empty());
}

TEST(Rates, WithNothingToShareAreEmpty) {
  const Rates r = make_rates(0, 0, 0, 0, 0, 0);
  EXPECT_FALSE(r.goodput_per_s);
  EXPECT_FALSE(r.abandoned_share);
  EXPECT_FALSE(r.amplification);
}

TEST(Tally, SaysInJsonWhyNothingOfItHasSettled) {
  Tally t;
  t.settling.reason = "the queue still rises";
  t.settling.predicted_to_settle_at = 12;
  const boost::json::value json = to_json(t);
  const boost::json::object& settled = json.at("settled").as_object();
  EXPECT_TRUE(settled.at("goodput_per_s").is_null());
  EXPECT_TRUE(settled.at("from_s").is_null());
  EXPECT_EQ(settled.at("reason").as_string(), "the queue still rises");
  EXPECT_EQ(settled.at("predicted_to_settle_at").to_number<double>(), 12);
}

TEST(Spread, OfASampleIsItsMeanSdAndPercentiles) {
  const auto s = spread_of(std::vector<double>{1, 2, 3, 4, 5});
  ASSERT_TRUE(s);
  EXPECT_DOUBLE_EQ(s->mean, 3);
  EXPECT_NEAR(s->sd, 1.5811388, 1e-6);
  EXPECT_NEAR(s->low, 1.1, 1e-12);
  EXPECT_NEAR(s->high, 4.9, 1e-12);
  EXPECT_FALSE(spread_of(std::vector<double>{}));
}

}  // namespace
}  // namespace retrystorm
