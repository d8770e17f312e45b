#include "experiments/report/fitted_columns.hpp"

#include "core/wrapped_text.hpp"

#include <fmt/format.h>

namespace retrystorm {

FittedColumns fitted_columns(std::size_t labels, const std::vector<FittedColumn>& columns,
                             std::size_t width) {
  FittedColumns fitted;
  fitted.shown.assign(columns.size(), true);
  std::size_t needed = labels;
  for (const FittedColumn& column : columns) needed += column.width;
  fitted.width = needed;
  for (std::size_t next = 1; needed > width && next <= columns.size(); ++next) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].leave != next || needed <= width) continue;
      fitted.shown[i] = false;
      needed -= columns[i].width;
    }
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (fitted.shown[i] || columns[i].heading.empty()) continue;
    fitted.left_out += (fitted.left_out.empty() ? "" : ", ") + columns[i].heading;
  }
  return fitted;
}

std::string FittedColumns::note(std::size_t there_is) const {
  if (left_out.empty()) return {};
  return explained(
      "not shown",
      fmt::format("{}: the lines have {} columns; COLUMNS={} shows all", left_out, there_is, width),
      there_is);
}

}  // namespace retrystorm
