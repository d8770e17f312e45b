// Predictions that are refused stand beside the measurement as notes; they take nothing from it.
#include "experiments/report/predictions.hpp"

#include "experiments/evidence/ledger_database.hpp"
#include "experiments/report/formats/format.hpp"
#include "tests/experiments/report/fixture.hpp"
#include "tests/experiments/report/wide.hpp"
#include "tests/seed.hpp"

#include <random>
#include <string>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::Contains;
using testing::HasSubstr;

Experiment one_arm(const std::string& service, const std::string& client) {
  return experiment_from_toml(
      "[experiment]\nname = \"one\"\nquestion = \"Is it measured?\"\n[service]\nworkers = 2\n"
      "work = \"20ms\"\nqueue = 10\n" +
          service + "[client]\nduration = \"1s\"\nrate = 90\n" + client,
      "one.toml");
}

// What the run says in every form, with its predictions; nothing of it may throw.
void expect_told(const Report& report, const std::string& folder) {
  for (const ReportFormat format : {ReportFormat::table, ReportFormat::json, ReportFormat::html,
                                    ReportFormat::markdown, ReportFormat::csv}) {
    EXPECT_NE(report_text(report, format, folder, wide), "");
  }
}

TEST(Predictions, ThatEveryEngineRefusesAreNotesBesideTheMeasurement) {
  const fixture::Folder folder;
  fixture::Run run{one_arm("", "")};
  run.predicted = false;
  Report report = fixture::make_run(folder.path(), run);
  const int code = exit_code_of(report);
  Database database = open_ledger(folder.path() + "/run.sqlite");
  add_predictions(report, database, {{0, 0}, {}});
  const ArmReport& arm = report.arms.front();
  EXPECT_TRUE(arm.measured);
  EXPECT_TRUE(arm.predicted.nominal.empty());
  EXPECT_FALSE(arm.predicted.replay);
  EXPECT_THAT(not_predicted_words(arm), Contains(HasSubstr("replay by simulate: ")));
  EXPECT_EQ(exit_code_of(report), code) << "the exit code is the measurement's";
  for (const ReportFormat format : {ReportFormat::table, ReportFormat::json, ReportFormat::html}) {
    EXPECT_THAT(report_text(report, format, folder.path(), wide), HasSubstr("--allow-slow"));
  }
  const Report again = report_from_json(to_json(report), "report");
  EXPECT_EQ(to_json(again), to_json(report));
}

TEST(Predictions, ThatAnInterruptEndsAreNotesToo) {
  const fixture::Folder folder;
  fixture::Run run{one_arm("", "")};
  run.predicted = false;
  Report report = fixture::make_run(folder.path(), run);
  Database database = open_ledger(folder.path() + "/run.sqlite");
  const Stop now([](void*) { return true; }, nullptr);
  add_predictions(report, database, {usual_most, now});
  const ArmReport& arm = report.arms.front();
  EXPECT_TRUE(arm.measured);
  EXPECT_FALSE(arm.predicted.replay);
  EXPECT_THAT(not_predicted_words(arm), Contains(HasSubstr("the run was interrupted")));
  expect_told(report, folder.path());
}

TEST(Predictions, OfAReportWithoutNotesAreReadAsBefore) {
  const fixture::Folder folder;
  const Report report = fixture::make_run(folder.path(), {one_arm("", "")});
  EXPECT_TRUE(report.arms.front().predicted.refused.empty());
  boost::json::value old = to_json(report);
  old.at("arms").at(0).at("predicted").as_object().erase("refused");
  EXPECT_EQ(to_json(report_from_json(old, "report")), to_json(report));
}

// Whatever the scenario asks for, what was measured is reported.
TEST(Predictions, OfRandomScenariosNeverTakeTheReportWithThem) {
  const Seed seed(20);
  std::mt19937 random(seed.value<std::uint32_t>());
  const char* const services[] = {"work_kind = \"sleep\"\n",      "work_kind = \"spin\"\n",
                                  "max_connections = 5\n",        "discipline = \"lifo\"\n",
                                  "work_shape = \"lognormal\"\n", ""};
  const char* const clients[] = {"max_in_flight = 3\n",      "retries = 2\n",
                                 "arrivals = \"poisson\"\n", "retries = 3\nbackoff = \"1h\"\n",
                                 "timeout = \"1ms\"\n",      "abandon = \"rst\"\n"};
  const auto drawn = [&](const auto& list) {
    return std::string(list[random() % std::size(list)]);
  };
  for (int i = 0; i < 8; ++i) {
    const std::string service = drawn(services);
    const std::string client = drawn(clients);
    SCOPED_TRACE(service + client);
    const fixture::Folder folder;
    const Report report = fixture::make_run(folder.path(), {one_arm(service, client)});
    ASSERT_TRUE(report.arms.front().measured);
    expect_told(report, folder.path());
  }
}

}  // namespace
}  // namespace retrystorm
