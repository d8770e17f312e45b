// The tables and views of a run's ledger, ledger.sql and ledger_views.sql, as the program carries
// them. CMake turns the files into code.
#pragma once

#include <string_view>

namespace retrystorm {

extern const std::string_view ledger_tables_sql;
extern const std::string_view ledger_views_sql;

}  // namespace retrystorm
