// How the arms of a report stand beside each other in its pictures: a column for each load, a row
// for each other difference, so that panels side by side differ in one thing.
#pragma once

#include "experiments/report/report.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace retrystorm {

struct LayoutRow {
  std::string label;                              // "retries=2"; empty for the only row
  std::vector<std::optional<std::size_t>> cells;  // index of an arm, by column
};

struct Layout {
  std::vector<std::string> columns;  // "1,200/s", or the arms' names
  std::vector<LayoutRow> rows;
};

// The arms in a grid. Without two different loads: one row, a column for each arm.
Layout layout_of(const Report& report);

// The paths of the scenario fields in which the arms differ, in registry order.
std::vector<std::string> varied_fields(const Report& report);

}  // namespace retrystorm
