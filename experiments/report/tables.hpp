// The tables of a report, independent of the format they are written in. A cell that shows a figure
// knows the figure and its path in report.json, so that a test can hold every number of a page
// against the file.
#pragma once

#include "experiments/report/figure.hpp"
#include "experiments/report/report.hpp"
#include "model/advice.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace retrystorm {

struct Cell {
  std::string text;
  std::string path;  // in report.json; empty for a cell that shows no figure of it
  Count value;
};

struct TableRow {
  enum class Kind : std::uint8_t { plain, measured, predicted, published };
  std::vector<Cell> cells;
  Kind kind = Kind::plain;
  bool first_of_group = false;
  bool stands_out = false;  // what a reader is to take home
};

struct Table {
  std::vector<std::string> headings;
  std::vector<TableRow> rows;
  std::size_t labels = 1;    // how many columns, from the left, are texts
  bool long_labels = false;  // the first of them are sentences
};

// The arm's prediction to draw and to show: the calibrated simulation where there is one, else the
// nominal. Nothing if the run predicted nothing.
struct Prediction {
  const Tally* tally = nullptr;
  std::string path;   // in the arm, "predicted.nominal.simulate"
  std::string label;  // "nominal", "calibrated", "nominal, fluid", "replay"
};
std::optional<Prediction> best_prediction(const ArmReport& arm);
// All predictions of an arm: nominal, calibrated, replay.
std::vector<Prediction> predictions(const ArmReport& arm);

// True if any arm has a prediction.
bool has_predictions(const Report& report);

// The overview's columns, with that of unsent requests if anything in the report has any. Every
// other table of arms has it as well, then.
std::vector<OverviewFigure> overview_columns(const Report& report);

// Published, predicted and measured of each arm: what the run is about.
Table overview_table(const Report& report);

// The same figures as every engine predicts them, and the replay.
Table engines_table(const Report& report);

// The given figures of each arm, measured, and predicted below where it is.
Table figures_table(const Report& report, std::span<const Figure> figures);

// What each single change would buy, the best first.
Table advice_table(const Advice& advice);

// Each stage of a load in stages, predicted and measured; no rows where no arm has any.
Table stages_table(const Report& report);

// Each class of clients, predicted and measured; no rows where no arm has several.
Table classes_table(const Report& report);

// The queue against the useful queue, from the scenarios.
Table queue_table(const Report& report);

// Predicted against measured for the counts that say most, in per cent of the count and in shares
// of attempts.
Table error_table(const Report& report);

// What each measured try vouches for itself with, beside the limits; and how its two ledgers agree.
Table trust_table(const Report& report);
Table reconciliation_table(const Report& report);

// The scenario's fields: what all arms share, and what they differ in.
Table parameters_table(const Report& report);
Table environment_table(const Report& report);

// The try whose tally is the arm's `measured`; nullptr if there is none.
const Try* measured_try(const ArmReport& arm);

}  // namespace retrystorm
