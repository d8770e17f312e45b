#include "core/json.hpp"
#include "experiments/report/formats/markdown.hpp"
#include "experiments/report/formats/table.hpp"
#include "experiments/report/tables.hpp"
#include "tests/experiments/report/wide.hpp"

#include <algorithm>
#include <string>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Tally with_stages(double burst_goodput) {
  Tally t;
  t.engine = "testbed";
  t.stages = {{"200/s:5s", 0, 5, {}, {}}, {"burst=800/s:3s", 5, 8, {}, {}}};
  t.stages[0].whole.goodput_per_s = 200;
  t.stages[1].whole.goodput_per_s = burst_goodput;
  return t;
}

// An arm in two stages, predicted and measured.
Report staged() {
  Report report;
  report.experiment = "burst";
  ArmReport& arm = report.arms.emplace_back();
  arm.name = "as it is";
  arm.status = "done";
  arm.scenario.client.stages = {{"", 200'000, 200'000, 5s}, {"burst", 800'000, 800'000, 3s}};
  arm.scenario.client.duration = 8s;
  arm.scenario.client.rate = mean_rate(arm.scenario.client.stages);
  arm.measured = with_stages(27.5);
  arm.measured_try = TryKey{"as it is", 0};
  arm.predicted.nominal["simulate"] = with_stages(30);
  Try& one = arm.tries.emplace_back();
  one.key = {"as it is", 0};
  one.tally = *arm.measured;
  one.trust.stages = {{"200/s:5s", 5, 200, 200, 0.02}, {"burst=800/s:3s", 3, 800, 801, 0.25}};
  return report;
}

std::vector<std::string> column(const Table& table, std::string_view heading) {
  const auto found = std::find(table.headings.begin(), table.headings.end(), heading);
  std::vector<std::string> texts;
  for (const TableRow& row : table.rows) {
    texts.push_back(row.cells.at(static_cast<std::size_t>(found - table.headings.begin())).text);
  }
  return texts;
}

// What report.json holds at a cell's path.
Count at_path(const boost::json::value& json, const std::string& path) {
  std::string pointer = "/" + path;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  const boost::json::value& value = json.at_pointer(pointer);
  return value.is_null() ? Count() : Count(value.to_number<double>());
}

TEST(StagesTable, HasEachStagePredictedAndMeasured) {
  const Table table = stages_table(staged());
  EXPECT_THAT(column(table, "arm"), ElementsAre("as it is", "", "", ""));
  EXPECT_THAT(column(table, "stage"),
              ElementsAre("200/s:5s", "200/s:5s", "burst=800/s:3s", "burst=800/s:3s"));
  EXPECT_THAT(column(table, "source"), ElementsAre("nominal", "measured", "nominal", "measured"));
  EXPECT_THAT(column(table, "goodput /s"), ElementsAre("200", "200", "30", "27.5"));
}

TEST(StagesTable, NamesThePlaceOfEachFigureInTheReport) {
  const Report report = staged();
  const boost::json::value json = to_json(report);
  int figures = 0;
  for (const TableRow& row : stages_table(report).rows) {
    for (const Cell& cell : row.cells) {
      if (cell.path.empty()) continue;
      ++figures;
      EXPECT_EQ(at_path(json, cell.path), cell.value) << cell.path;
    }
  }
  EXPECT_EQ(figures, 6) << "four of goodput, two of pacing";
}

TEST(StagesTable, IsEmptyWhereNoLoadIsInStages) {
  Report report = staged();
  report.arms[0].scenario.client.stages.clear();
  EXPECT_TRUE(stages_table(report).rows.empty());
  EXPECT_THAT(report_markdown(report, ""), Not(HasSubstr("Stage by stage")));
  EXPECT_THAT(report_markdown(staged(), ""), HasSubstr("Stage by stage"));
}

TEST(StagesTable, HasItsRowsOnTheTerminalToo) {
  EXPECT_THAT(report_table(staged(), "", wide), HasSubstr("burst=800/s:3s"));
}

TEST(ClassesTable, HasEachClassOfClients) {
  Report report = staged();
  ArmReport& arm = report.arms[0];
  arm.scenario.client.stages.clear();
  arm.scenario.classes = {{1, arm.scenario.client}, {3, arm.scenario.client}};
  arm.measured->classes.resize(2);
  arm.measured->classes[0].counts.attempts = 5;
  arm.measured->classes[1].counts.attempts = 15;
  const Table table = classes_table(report);
  EXPECT_THAT(column(table, "class"), ElementsAre("0", "1"));
  EXPECT_THAT(column(table, "attempts"), ElementsAre("5", "15"));
  const boost::json::value json = to_json(report);
  EXPECT_EQ(at_path(json, table.rows[1].cells[3].path), 15);
  EXPECT_TRUE(classes_table(staged()).rows.empty());
}

}  // namespace
}  // namespace retrystorm
