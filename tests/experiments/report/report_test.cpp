#include "experiments/report/report.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/scenario_toml.hpp"
#include "experiments/report/formats/table.hpp"
#include "experiments/report/tables.hpp"
#include "tests/experiments/report/made_up_tries.hpp"

#include <algorithm>
#include <filesystem>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Report, OfTrustedArmsIsTrusted) {
  const Report r = report_of(two_rates(), {tried("rate=1000", 0, 5), tried("rate=1200", 0, 6)});
  EXPECT_FALSE(r.partial);
  EXPECT_TRUE(r.arms[0].trusted);
  EXPECT_EQ(r.arms[1].measured->whole.goodput_per_s, 6);
  EXPECT_EQ(exit_code_of(r), exit_done);
}

TEST(Report, MeasuresByTheRepeatWithTheMedianGoodput) {
  std::vector<Try> tries;
  const double goodputs[] = {7, 5, 9};
  for (std::int64_t i = 0; i < 3; ++i) {
    tries.push_back(tried("rate=1000", i, goodputs[i]));
    tries.back().repeats = 3;
  }
  const ArmReport arm = report_of(two_rates(), tries).arms[0];
  EXPECT_EQ(arm.measured->whole.goodput_per_s, 7);
  EXPECT_EQ(arm.repeats.size(), 3U);
  EXPECT_EQ(arm.measured->spread.at("whole.goodput_per_s").mean, 7);
  EXPECT_TRUE(arm.trusted);
}

TEST(Report, PrefersATrustedTryAndKeepsTheOthers) {
  Try first = tried("rate=1000", 0, 5);
  distrust(first, "stalled");
  Try second = tried("rate=1000", 1, 8);
  second.repeat = 0;
  const ArmReport arm = report_of(two_rates(), {first, second}).arms[0];
  EXPECT_TRUE(arm.trusted);
  EXPECT_EQ(arm.measured->whole.goodput_per_s, 8);
  EXPECT_EQ(arm.repeats.size(), 1U);
  EXPECT_EQ(arm.tries.size(), 2U);
}

TEST(Report, OfAnUntrustedArmHasReasonsAndItsExitCode) {
  Try t = tried("rate=1000", 0, 5);
  distrust(t, "stalled");
  const Report r = report_of(two_rates(), {t, tried("rate=1200", 0, 6)});
  EXPECT_FALSE(r.arms[0].trusted);
  EXPECT_THAT(r.arms[0].reasons, ElementsAre("stalled"));
  EXPECT_TRUE(r.arms[0].measured.has_value());
  EXPECT_FALSE(r.partial);
  EXPECT_EQ(exit_code_of(r), exit_untrusted);
}

TEST(Report, OfAFailedArmWithEmptyLedgersClaimsNoMeasurement) {
  Try t = tried("rate=1000", 0, 5);
  t.tally = {};
  distrust(t, "failed: the service was killed", TryStatus::failed);
  const Report r = report_of(two_rates(), {t, tried("rate=1200", 0, 6)});
  EXPECT_EQ(r.arms[0].status, "failed");
  EXPECT_FALSE(r.arms[0].measured.has_value());
  EXPECT_EQ(r.arms[0].tries.size(), 1U);
  EXPECT_FALSE(r.partial);
  EXPECT_TRUE(r.arms[1].trusted);
  EXPECT_EQ(exit_code_of(r), exit_untrusted);
}

TEST(Report, OfAnArmWhoseProcessDiedShowsWhatItsLedgersHold) {
  Try t = tried("rate=1000", 0, 5);
  distrust(t, "failed: the service was killed", TryStatus::failed);
  const Report r = report_of(two_rates(), {t, tried("rate=1200", 0, 6)});
  EXPECT_EQ(r.arms[0].status, "failed");
  EXPECT_FALSE(r.arms[0].trusted);
  ASSERT_TRUE(r.arms[0].measured.has_value());
  EXPECT_EQ(r.arms[0].measured->counts.offered, 1000);
  EXPECT_FALSE(comparable(r.arms[0]));
  EXPECT_TRUE(r.partial);
  EXPECT_EQ(exit_code_of(r), exit_untrusted);
}

TEST(Report, PrefersARepeatThatCameToItsEndToOneThatDied) {
  Try died = tried("rate=1000", 0, 900);
  Try late = tried("rate=1000", 1, 5);
  died.repeats = late.repeats = 2;
  distrust(died, "failed: the service was killed", TryStatus::failed);
  distrust(late, "stalled");
  const Report r = report_of(two_rates(), {died, late, tried("rate=1200", 0, 6)});
  ASSERT_TRUE(r.arms[0].measured_try.has_value());
  EXPECT_EQ(r.arms[0].measured_try->try_number, 1);
  EXPECT_TRUE(comparable(r.arms[0]));
}

TEST(Report, WithoutAnArmsTriesIsPartial) {
  const Report r = report_of(two_rates(), {tried("rate=1000", 0, 5)});
  EXPECT_TRUE(r.partial);
  EXPECT_EQ(r.arms[1].status, "not_run");
  EXPECT_FALSE(r.arms[1].trusted);
  EXPECT_EQ(exit_code_of(r), exit_untrusted);
}

TEST(Report, WithFewerRepeatsThanAskedForIsPartial) {
  Try t = tried("rate=1000", 0, 5);
  t.repeats = 3;
  const Report r = report_of(two_rates(), {t, tried("rate=1200", 0, 6)});
  EXPECT_TRUE(r.partial);
  EXPECT_THAT(r.arms[0].reasons, ElementsAre("only 1 of 3 repeats were run"));
}

// What was predicted is a whole run; what an interrupt or a kill left is none.
TEST(Report, HoldsNoPredictionAgainstAnArmThatWasCutShort) {
  const auto table = [](const Report& r) { return report_table(r, "", {false, 120}); };
  EXPECT_TRUE(comparable(full_report().arms[1]));
  EXPECT_THAT(table(full_report()),
              testing::AllOf(HasSubstr("off measured by"), HasSubstr("replay off by"),
                             HasSubstr("Worst structural error")));
  for (const TryStatus status : {TryStatus::interrupted, TryStatus::killed}) {
    Report cut = full_report();
    distrust(cut.arms[1].tries[0], "what there is up to then", status);
    cut.arms[1].trusted = false;
    EXPECT_FALSE(comparable(cut.arms[1]));
    EXPECT_THAT(table(cut),
                Not(testing::AnyOf(HasSubstr("off measured by"), HasSubstr("replay off by"),
                                   HasSubstr("Worst structural error"))));
    EXPECT_THAT(table(cut), HasSubstr("predicted, nominal"));
    const auto errors = to_json(cut).at("arms").at(1).at("error_percent");
    EXPECT_TRUE(errors.at("nominal").as_object().empty());
    EXPECT_TRUE(errors.at("replay").is_null());
    for (const TableRow& row : error_table(cut).rows) {
      for (const Cell& cell : row.cells) EXPECT_THAT(cell.text, Not(HasSubstr("%")));
    }
  }
}

TEST(ReportJson, ReadsBackEqual) {
  const auto json = to_json(full_report());
  const auto again = parse_json(pretty_json(json), "report.json");
  EXPECT_EQ(pretty_json(to_json(report_from_json(again, "report.json"))), pretty_json(json));
}

TEST(ReportJson, HasTheShapeOfTheSemantics) {
  const auto json = to_json(full_report());
  EXPECT_EQ(json.at("experiment"), "e");
  const auto& arm = json.at("arms").at(1);
  for (const char* key : {"name", "scenario", "trusted", "reasons", "published", "measured",
                          "repeats", "predicted", "error_percent"}) {
    EXPECT_TRUE(arm.as_object().contains(key)) << key;
  }
  EXPECT_TRUE(arm.at("measured").at("counts").at("unfinished").as_object().contains("attempts"));
  for (const char* key : {"nominal", "calibrated", "replay"}) {
    EXPECT_TRUE(arm.at("predicted").as_object().contains(key)) << key;
    EXPECT_TRUE(arm.at("error_percent").as_object().contains(key)) << key;
  }
}

TEST(ReportJson, RefusesADamagedReport) {
  auto json = to_json(full_report());
  EXPECT_THROW(report_from_json(parse_json("[]", "r"), "r"), InvalidInput);
  EXPECT_THROW(report_from_json(parse_json("{\"experiment\": 3}", "r"), "r"), InvalidInput);
  json.at("arms").at(1).as_object().erase("tries");
  try {
    report_from_json(json, "r.json");
    FAIL() << "accepted";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("r.json: arms[1].tries: is missing"));
  }
}

// It would pass for a run in which everything can be trusted.
TEST(ReportJson, RefusesAReportWithoutArms) {
  auto json = to_json(full_report());
  json.at("arms").as_array().clear();
  EXPECT_THROW(report_from_json(json, "r.json"), InvalidInput);
}

}  // namespace
}  // namespace retrystorm
