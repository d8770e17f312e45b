// Which columns of a table fit the terminal: of one too wide, columns are left out, and named.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

struct FittedColumn {
  std::string heading;
  std::size_t width = 0;
  std::size_t leave = 0;  // who goes first where there is no room: 1, then 2, ...; 0 stays
};

struct FittedColumns {
  std::vector<bool> shown;  // of each column
  std::size_t width = 0;    // that all of them would need
  std::string left_out;     // "throughput/s, ampl."; empty if all are shown

  // The line that says so; empty if all are shown.
  std::string note(std::size_t width_there_is) const;
};

// Of a table whose labels take `labels` columns, in `width`.
FittedColumns fitted_columns(std::size_t labels, const std::vector<FittedColumn>& columns,
                             std::size_t width);

}  // namespace retrystorm
