// The tables and views of a run's ledger, evidence/ledger.sql, as the program carries them. CMake
// turns the file into code.
#pragma once

#include <string_view>

namespace retrystorm {

extern const std::string_view ledger_sql;

}  // namespace retrystorm
