// The tables of the parts of a run: the stages of its load, its classes of clients.
#include "core/number_text.hpp"
#include "experiments/report/tables.hpp"

#include <fmt/format.h>

namespace retrystorm {
namespace {

// In the order of the table; what the service's side saw of the pacing stands behind them.
constexpr const auto& columns = rate_figures;

TableRow row_of(const std::string& arm, const StageRates& stage, const std::string& source,
                const std::string& path, TableRow::Kind kind) {
  TableRow row;
  row.kind = kind;
  row.cells = {{arm, {}, {}}, {stage.stage, {}, {}}, {source, {}, {}}};
  for (const auto& figure : columns) {
    const Count& value = stage.whole.*figure.member;
    row.cells.push_back({figure_text(figure.kind, value),
                         value ? fmt::format("{}.whole.{}", path, figure.name) : std::string(),
                         value});
  }
  row.cells.push_back({std::string(no_number), {}, {}});
  return row;
}

// How evenly the stage's requests came to the service, of the measured try.
Cell pacing_cell(const ArmReport& arm, std::size_t index, std::size_t stage) {
  const Try* measured = measured_try(arm);
  if (!measured || stage >= measured->trust.stages.size()) return {std::string(no_number), {}, {}};
  const Count& cv = measured->trust.stages[stage].arrival_gap_cv;
  return {figure_text(FigureKind::factor, cv),
          cv ? fmt::format("arms.{}.tries.{}.trust.stages.{}.arrival_gap_cv", index,
                           measured - arm.tries.data(), stage)
             : std::string(),
          cv};
}

TableRow class_row(const Tally& of_class, std::size_t number, const std::string& source,
                   const std::string& path, TableRow::Kind kind) {
  TableRow row;
  row.kind = kind;
  row.cells = {{"", {}, {}}, {std::to_string(number), {}, {}}, {source, {}, {}}};
  for (const OverviewFigure& one : overview_figures) {
    const Count value = figure_at(of_class, one.figure.path);
    row.cells.push_back({figure_text(one.figure.kind, value),
                         value ? fmt::format("{}.{}", path, one.figure.path) : std::string(),
                         value});
  }
  return row;
}

}  // namespace

Table classes_table(const Report& report) {
  Table table;
  table.labels = 3;
  table.headings = {"arm", "class", "source"};
  for (const OverviewFigure& one : overview_figures) {
    table.headings.emplace_back(one.figure.heading);
  }
  for (std::size_t i = 0; i < report.arms.size(); ++i) {
    const ArmReport& arm = report.arms[i];
    const auto prediction = best_prediction(arm);
    for (std::size_t c = 0; c < arm.scenario.classes.size(); ++c) {
      const std::size_t first = table.rows.size();
      if (prediction && c < prediction->tally->classes.size()) {
        table.rows.push_back(class_row(prediction->tally->classes[c], c, prediction->label,
                                       fmt::format("arms.{}.{}.classes.{}", i, prediction->path, c),
                                       TableRow::Kind::predicted));
      }
      if (arm.measured && c < arm.measured->classes.size()) {
        table.rows.push_back(class_row(arm.measured->classes[c], c, "measured",
                                       fmt::format("arms.{}.measured.classes.{}", i, c),
                                       TableRow::Kind::measured));
      }
      if (table.rows.size() == first) continue;
      if (c > 0) continue;
      table.rows[first].cells[0].text = arm.name;
      table.rows[first].first_of_group = true;
    }
  }
  return table;
}

Table stages_table(const Report& report) {
  Table table;
  table.labels = 3;
  table.headings = {"arm", "stage", "source"};
  for (const auto& figure : columns) table.headings.emplace_back(figure.heading);
  table.headings.emplace_back("gap variation");
  for (std::size_t i = 0; i < report.arms.size(); ++i) {
    const ArmReport& arm = report.arms[i];
    const auto prediction = best_prediction(arm);
    for (std::size_t s = 0; s < arm.scenario.client.stages.size(); ++s) {
      const std::size_t first = table.rows.size();
      if (prediction && s < prediction->tally->stages.size()) {
        table.rows.push_back(row_of("", prediction->tally->stages[s], prediction->label,
                                    fmt::format("arms.{}.{}.stages.{}", i, prediction->path, s),
                                    TableRow::Kind::predicted));
      }
      if (arm.measured && s < arm.measured->stages.size()) {
        table.rows.push_back(row_of("", arm.measured->stages[s], "measured",
                                    fmt::format("arms.{}.measured.stages.{}", i, s),
                                    TableRow::Kind::measured));
        table.rows.back().cells.back() = pacing_cell(arm, i, s);
      }
      if (table.rows.size() == first) continue;
      if (s > 0) continue;
      table.rows[first].cells[0].text = arm.name;
      table.rows[first].first_of_group = true;
    }
  }
  return table;
}

}  // namespace retrystorm
