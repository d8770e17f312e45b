// Run directories of the ledger's first version say what they said to the program that left them.
#include "tests/experiments/evidence/old_run.hpp"

#include "core/files.hpp"
#include "core/json.hpp"
#include "experiments/evidence/run_budget.hpp"
#include "experiments/evidence/series.hpp"
#include "experiments/evidence/stored_run.hpp"
#include "experiments/evidence/trace.hpp"
#include "experiments/report/compare/compare.hpp"
#include "experiments/report/formats/table.hpp"
#include "experiments/report/settled_arms.hpp"
#include "experiments/report/stored_report.hpp"
#include "experiments/report/tables.hpp"
#include "tests/experiments/report/wide.hpp"

#include <filesystem>
#include <map>
#include <optional>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
namespace json = boost::json;
namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::ElementsAre;

json::value document(const std::string& file) {
  return parse_json(read_file(file), file);
}

// As it would be written.
json::value document(const Report& report) {
  return parse_json(pretty_json(to_json(report)), "report");
}

// Whether all that was said is said today: keys may be added, none may go or change its value.
void expect_says(const json::value& now, const json::value& then, const std::string& where) {
  if (then.is_object()) {
    ASSERT_TRUE(now.is_object()) << where;
    for (const auto& [key, value] : then.get_object()) {
      const json::value* found = now.get_object().if_contains(key);
      const std::string path = where + "." + std::string(key);
      ASSERT_TRUE(found) << path;
      expect_says(*found, value, path);
    }
  } else if (then.is_array()) {
    ASSERT_TRUE(now.is_array()) << where;
    ASSERT_EQ(now.get_array().size(), then.get_array().size()) << where;
    for (std::size_t i = 0; i < then.get_array().size(); ++i) {
      expect_says(now.at(i), then.at(i), where + "[" + std::to_string(i) + "]");
    }
  } else {
    EXPECT_EQ(now, then) << where;
  }
}

// Every tally of a document: the objects with counts and settled rates.
template <typename F>
void each_tally(json::value& value, F&& f) {
  if (json::object* object = value.if_object()) {
    if (object->contains("counts") && object->contains("settled")) f(*object);
    for (auto& [key, inner] : *object) each_tally(inner, f);
  } else if (json::array* list = value.if_array()) {
    for (json::value& inner : *list) each_tally(inner, f);
  }
}

// Nobody judged then whether a run had settled.
void forget_settled(json::value& document) {
  each_tally(document, [](json::object& tally) {
    tally.erase("settled");
    if (json::value* spread = tally.if_contains("spread")) spread->as_object().erase("settled");
  });
}

// What was measured; predictions are the models' and may become better, and what has settled is
// judged by today's rule, which finds these runs too short.
void expect_measured(const json::value& now, const json::value& then) {
  json::value wanted = then;
  for (json::value& arm : wanted.at("arms").as_array()) {
    arm.as_object().erase("predicted");
    arm.as_object().erase("error_percent");
  }
  forget_settled(wanted);
  // Today's limits are more: each reason of then still holds, and there may be another.
  for (std::size_t i = 0; i < wanted.at("arms").as_array().size(); ++i) {
    json::array& tries = wanted.at("arms").at(i).at("tries").as_array();
    for (std::size_t j = 0; j < tries.size(); ++j) {
      const json::array& judged = now.at("arms").at(i).at("tries").at(j).at("reasons").as_array();
      for (const json::value& reason : tries[j].at("reasons").as_array()) {
        EXPECT_THAT(judged, testing::Contains(reason));
      }
      tries[j].as_object().erase("reasons");
    }
  }
  json::value judged = now;
  each_tally(judged, [](json::object& tally) {
    if (tally.at("counts").at("arrived").is_null()) return;
    EXPECT_TRUE(tally.at("settled").at("goodput_per_s").is_null());
  });
  expect_says(now, wanted, "report");
}

std::vector<std::string> rows(Database& database, const std::string& sql) {
  Statement statement(database, sql);
  const Column value = statement.only_column();
  std::vector<std::string> texts;
  while (statement.step()) texts.push_back(value.is_null() ? "null" : value.text());
  return texts;
}

// All files of a directory.
std::map<std::string, std::string> bytes_of(const std::string& directory) {
  std::map<std::string, std::string> bytes;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) bytes[entry.path().string()] = read_file(entry.path().string());
  }
  return bytes;
}

class OldRun : public testing::Test {
 protected:
  OldRuns runs_;
  std::string repeated_ = runs_.repeated();
  std::string killed_ = runs_.killed();
};

TEST_F(OldRun, HasTheReportThatItHad) {
  json::value then = document(repeated_ + "/report.json");
  const Report report = report_of_directory(repeated_);
  forget_settled(then);
  expect_says(document(report), then, "report");
  ASSERT_EQ(report.arms.size(), 2U);
  std::vector<std::int64_t> repeats;
  for (const Try& t : report.arms[0].tries) repeats.push_back(t.repeat);
  EXPECT_THAT(repeats, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(report.arms[0].tries[3].key.try_number, 3);
}

// What it held as settled is the last two thirds of a run, whatever happened there.
TEST_F(OldRun, ShowsWhatNobodyJudgedAsNotJudged) {
  const json::value then = document(repeated_ + "/report.json");
  EXPECT_FALSE(then.at("arms").at(0).at("measured").at("settled").at("goodput_per_s").is_null());
  const Report report = report_of_directory(repeated_);
  for (const ArmReport& arm : report.arms) {
    EXPECT_EQ(unsettled_words(arm),
              "settled or not: not judged, the report is of an earlier version");
    for (const Try& t : arm.tries) EXPECT_FALSE(t.tally.settled.goodput_per_s);
    for (const Prediction& p : predictions(arm)) {  // stationary has no run to be judged
      EXPECT_EQ(p.tally->settled.goodput_per_s.has_value(), p.tally->engine == "stationary");
    }
  }
  const std::string table = report_table(report, "", wide);
  EXPECT_THAT(table, testing::HasSubstr("~ settled or not: not judged"));
  EXPECT_THAT(table, testing::Not(testing::HasSubstr("settled, ")));
  const json::value now = document(report);
  const json::value& settled = now.at("arms").at(0).at("measured").at("settled");
  EXPECT_TRUE(settled.at("goodput_per_s").is_null());
  EXPECT_EQ(settled.at("reason").as_string(), "not judged, the report is of an earlier version");
}

TEST_F(OldRun, IsReadWithoutAByteWritten) {
  const auto before = bytes_of(repeated_);
  const Report report = report_of_directory(repeated_);
  recover_run(repeated_);  // nothing is missing
  std::optional<Database> ledger = ledger_of_directory(repeated_);
  ASSERT_TRUE(ledger);
  for (const ArmReport& arm : report.arms) {
    for (const Try& t : arm.tries) {
      // Its settled part was not judged then.
      const auto but_settled = [](json::value tally) {
        tally.as_object().erase("settled");
        return tally;
      };
      EXPECT_EQ(but_settled(to_json(tally_from_ledger(*ledger, t.key, arm.scenario))),
                but_settled(to_json(t.tally)));
      Reconciliation reconciliation = reconcile(*ledger, t.key, Imported{});
      EXPECT_EQ(reconciliation, t.reconciliation);
      EXPECT_FALSE(series_from_ledger(*ledger, t.key, arm.scenario).offered.empty());
      EXPECT_EQ(trace_requests(*ledger, t.key, std::nullopt).size(), t.tally.counts.offered);
    }
  }
  EXPECT_EQ(compare(report, report_at(repeated_), {}, true).arms.size(), 2U);
  EXPECT_EQ(budget_of_run(repeated_, 500'000, 50ms).tries.size(), 6U);
  EXPECT_EQ(bytes_of(repeated_), before);
}

TEST_F(OldRun, IsDrawnAndTracedAsFromItsRawFiles) {
  std::optional<Database> old = ledger_of_directory(repeated_);
  ASSERT_TRUE(old);
  fs::rename(repeated_ + "/run.sqlite", repeated_ + "/old.sqlite");
  std::optional<Database> fresh = ledger_of_directory(repeated_);
  ASSERT_TRUE(fresh);
  for (const ArmReport& arm : report_of_directory(repeated_).arms) {
    for (const Try& t : arm.tries) {
      const Series a = series_from_ledger(*old, t.key, arm.scenario);
      const Series b = series_from_ledger(*fresh, t.key, arm.scenario);
      EXPECT_EQ(a.offered, b.offered);
      EXPECT_EQ(a.ended, b.ended);
      EXPECT_EQ(a.queue, b.queue);
      EXPECT_EQ(a.useful, b.useful);
      EXPECT_EQ(a.age_taken, b.age_taken);
      const auto then = trace_requests(*old, t.key, std::nullopt);
      const auto now = trace_requests(*fresh, t.key, std::nullopt);
      ASSERT_EQ(then.size(), now.size());
      for (std::size_t i = 0; i < now.size(); ++i) EXPECT_EQ(to_json(then[i]), to_json(now[i]));
    }
  }
}

TEST_F(OldRun, HasTheBudgetOfItsRequests) {
  const Report report = report_of_directory(repeated_);
  std::map<std::pair<std::string, std::int64_t>, const Try*> tries;
  for (const ArmReport& arm : report.arms) {
    for (const Try& t : arm.tries) tries[{arm.name, t.key.try_number}] = &t;
  }
  for (const TryBudget& one : budget_of_run(repeated_, 500'000, 10s).tries) {
    const Try& t = *tries.at({one.arm, one.try_number});
    EXPECT_EQ(static_cast<double>(one.budget.total), t.tally.counts.offered);
    EXPECT_EQ(static_cast<double>(one.budget.good), t.tally.counts.succeeded);
    EXPECT_EQ(one.trusted, t.trusted);
  }
}

TEST_F(OldRun, ThatLostItsReportIsJudgedAgainAsItWas) {
  const json::value then = document(repeated_ + "/report.json");
  fs::remove(repeated_ + "/report.json");
  recover_run(repeated_);
  expect_measured(document(repeated_ + "/report.json"), then);
  Database ledger = open_ledger(repeated_ + "/run.sqlite");
  EXPECT_THAT(rows(ledger, "PRAGMA user_version"), ElementsAre("4"));
  EXPECT_THAT(rows(ledger, "SELECT arm || ' ' || try_number || ' ' || repeat FROM arms ORDER BY 1"),
              ElementsAre("retries=0 0 0", "retries=0 1 0", "retries=0 2 1", "retries=0 3 1",
                          "retries=2 0 0", "retries=2 1 1"))
      << "the notes know";
}

TEST_F(OldRun, ThatWasKilledIsRecoveredAsItWas) {
  const json::value then = document(runs_.report_of_killed());
  const auto before = bytes_of(killed_);
  expect_measured(document(report_of_directory(killed_)), then);
  EXPECT_EQ(bytes_of(killed_), before) << "only looked at";
  recover_run(killed_);
  expect_measured(document(killed_ + "/report.json"), then);
  Database ledger = open_ledger_to_read(killed_ + "/run.sqlite");
  EXPECT_THAT(rows(ledger, "PRAGMA user_version"), ElementsAre("4"));
  EXPECT_THAT(rows(ledger, "SELECT DISTINCT arm FROM requests ORDER BY 1"),
              ElementsAre("retries=0", "retries=2"));
  EXPECT_EQ(budget_of_run(killed_, 500'000, 50ms).tries.size(), 2U);
}

// What was done before the kill is in run.sqlite, the try that it cut short in raw files only.
TEST_F(OldRun, ThatWasKilledIsTracedAndBudgetedWithItsLastTry) {
  const auto before = bytes_of(killed_);
  std::optional<Database> ledger = ledger_of_directory(killed_);
  ASSERT_TRUE(ledger);
  for (const char* arm : {"retries=0", "retries=2"}) {
    EXPECT_FALSE(trace_requests(*ledger, TryKey{arm, 0}, std::nullopt).empty()) << arm;
  }
  ledger.reset();
  EXPECT_EQ(budget_of_run(killed_, 500'000, 50ms).tries.size(), 2U);
  EXPECT_EQ(bytes_of(killed_), before) << "only looked at";
}

}  // namespace
}  // namespace retrystorm
