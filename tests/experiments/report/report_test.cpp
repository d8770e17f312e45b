#include "experiments/report/report.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/scenario_toml.hpp"
#include "experiments/report/formats/table.hpp"
#include "experiments/report/tables.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Experiment two_rates() {
  return experiment_from_toml(
      "[experiment]\nname = \"e\"\nquestion = \"Why?\"\n[matrix]\n\"client.rate\" = [1000, 1200]\n",
      "e.toml");
}

// A try in which everything was answered, but for what `spoil` does to it.
Try tried(const std::string& arm, std::int64_t repeat, double goodput) {
  Try t;
  t.key = {arm, repeat};
  t.repeat = repeat;
  t.trusted = true;
  t.tally.engine = "testbed";
  t.tally.counts.offered = t.tally.counts.attempts = t.tally.counts.completed = 1000;
  t.tally.counts.succeeded = 1000;
  t.tally.counts.rejected = t.tally.counts.timed_out = t.tally.counts.abandoned = 0;
  t.tally.whole.seconds = 2;
  t.tally.whole.goodput_per_s = goodput;
  t.tally.settled.seconds = 1;
  t.tally.settled.goodput_per_s = goodput;
  t.opening = {1, 500, 990, 0};
  return t;
}

Report report_of(const Experiment& e, std::vector<Try> tries) {
  return make_report(e, arms_of(e, "e"), std::move(tries));
}

void distrust(Try& t, const std::string& reason, TryStatus status = TryStatus::done) {
  t.trusted = false;
  t.status = status;
  t.reasons.push_back(reason);
}

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

TEST(Report, OfAFailedArmClaimsNoMeasurement) {
  Try t = tried("rate=1000", 0, 5);
  distrust(t, "failed: the service was killed", TryStatus::failed);
  const Report r = report_of(two_rates(), {t, tried("rate=1200", 0, 6)});
  EXPECT_EQ(r.arms[0].status, "failed");
  EXPECT_FALSE(r.arms[0].measured.has_value());
  EXPECT_EQ(r.arms[0].tries.size(), 1U);
  EXPECT_TRUE(r.arms[1].trusted);
  EXPECT_EQ(exit_code_of(r), exit_untrusted);
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

Report full_report() {
  Try t = tried("rate=1200", 0, 100);
  t.tally.counts.succeeded = 520;
  t.tally.counts.rejected = 1234;
  t.tally.settled.goodput_per_s = 0;
  t.tally.settled.throughput_per_s = 1000;
  t.tally.settled.abandoned_share = 1;
  t.tally.whole.abandoned_share = 0.925;
  t.tally.request.p50 = 58.01;
  t.opening = {1, 480, 510, 40};
  t.trust.send_lag_p99_ms = 0.12;
  t.reconciliation["abandoned"] = 7;
  t.warnings = {"generator: connect() was slow"};
  t.environment = {{"kernel", "Linux 9"}, {"cores", 2}, {"clock_source", "tsc"}};
  Try failed = tried("rate=1000", 0, 5);
  distrust(failed, "failed: the service was killed", TryStatus::failed);
  Report r = report_of(two_rates(), {failed, t});
  r.arms[1].predicted.nominal["simulate"] = t.tally;
  r.arms[1].predicted.replay = t.tally;
  return r;
}

// What was predicted is a whole run; what an interrupt or a kill left is none.
TEST(Report, HoldsNoPredictionAgainstAnArmThatWasCutShort) {
  const auto table = [](const Report& r) { return report_table(r, "", false); };
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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Line ends and runs of blanks made one blank.
std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += word + " ";
  return line;
}

// The first line that contains `part`.
std::string line_with(const std::string& text, const std::string& part) {
  for (const std::string& line : lines_of(text)) {
    if (line.find(part) != line.npos) return on_one_line(line);
  }
  return {};
}

TEST(ReportTable, ShowsPublishedBesideMeasuredAndSettled) {
  const std::string table = report_table(full_report(), "results/x", false);
  const ArmReport arm = full_report().arms[1];
  ASSERT_TRUE(arm.published.has_value());
  const auto at = [&](const std::string& part) { return table.find(part); };
  EXPECT_LT(table.find("published", at("rate=1200")), at("whole run, 2 s"));
  EXPECT_LT(at("whole run, 2 s"), at("settled, 1 s"));
  EXPECT_THAT(line_with(table, "whole run, 2 s"),
              HasSubstr("1,000 1,234 0 1,000 0 92.5 % 100 - 58.0"));
  EXPECT_THAT(line_with(table, "settled, 1 s"), HasSubstr("1,000 1,000 100.0 % 0 1,000"));
}

TEST(ReportTable, SaysThatAGoodputWhichOnlyTheOpeningHadDoesNotLast) {
  const std::string text = on_one_line(report_table(full_report(), "", false));
  EXPECT_THAT(text, HasSubstr("does not last"));
  EXPECT_THAT(text, HasSubstr("rate=1200: 480 of 520 successes within 0.51 s, 40 after sending had "
                              "ended; settled 0/s, whole run 100/s, published 65/s"));
}

TEST(ReportTable, SaysNothingOfOpeningsWhereGoodputLasts) {
  const Report r = report_of(two_rates(), {tried("rate=1000", 0, 5), tried("rate=1200", 0, 6)});
  EXPECT_THAT(on_one_line(report_table(r, "", false)), Not(HasSubstr("does not last")));
}

TEST(ReportTable, NamesWhatFailedAndWhy) {
  const std::string table = report_table(full_report(), "", false);
  EXPECT_THAT(line_with(table, "rate=1000 "), HasSubstr("FAILED"));
  EXPECT_THAT(table, HasSubstr("! failed: the service was killed"));
}

TEST(ReportTable, PassesOnTheWarningsOfTheMeasuredTry) {
  EXPECT_THAT(report_table(full_report(), "", false), HasSubstr("~ generator: connect() was slow"));
}

TEST(ReportTable, SaysThatItIsPartial) {
  const Report r = report_of(two_rates(), {tried("rate=1000", 0, 5)});
  const std::string table = report_table(r, "", false);
  EXPECT_THAT(table, HasSubstr("PARTIAL"));
  EXPECT_THAT(line_with(table, "rate=1200"), HasSubstr("NOT RUN"));
}

TEST(ReportTable, ShowsTheSpreadOfRepeats) {
  std::vector<Try> tries;
  for (std::int64_t i = 0; i < 3; ++i) {
    tries.push_back(tried("rate=1000", i, 5));
    tries.back().repeats = 3;
    tries.back().tally.counts.rejected = 100.0 * static_cast<double>(i);
  }
  const std::string table = report_table(report_of(two_rates(), tries), "", false);
  EXPECT_THAT(line_with(table, "low, of 3 trusted"), HasSubstr("1,000 5 0"));
  EXPECT_THAT(line_with(table, " high"), HasSubstr("1,000 195 0"));
}

// A report.json may come from anybody.
TEST(ReportTable, SendsNoControlCharactersOfAForeignReportToTheTerminal) {
  Report report = full_report();
  const std::string hostile = "\x1b[2J\n\xff";
  report.experiment += hostile;
  report.question += hostile;
  for (ArmReport& arm : report.arms) {
    arm.name += hostile;
    arm.reasons.push_back(hostile);
    for (Try& t : arm.tries) t.warnings.push_back(hostile);
  }
  const std::string text = report_table(report, "DIR", false);
  EXPECT_EQ(text.find('\x1b'), text.npos);
  EXPECT_EQ(text.find('\xff'), text.npos);
  EXPECT_THAT(text, HasSubstr("\\x1b[2J\\x0a\\xff"));
}

TEST(ReportTable, FitsATerminalAndIsColouredOnlyForOne) {
  const std::string plain = report_table(full_report(), "results/x", false);
  for (const std::string& line : lines_of(plain)) EXPECT_LE(line.size(), 120U) << line;
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  EXPECT_THAT(report_table(full_report(), "", true), HasSubstr("\x1b[31mFAILED"));
}

}  // namespace
}  // namespace retrystorm
