// The database of a run's ledger, whichever version of the program made it: whoever opens it here
// finds the tables and views of ledger.sql and ledger_views.sql in it.
#pragma once

#include "experiments/evidence/database.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

// Opens or creates a run's database with its tables and views. One of an earlier version is brought
// to this one's, all or nothing. Throws InvalidInput for one of a later version, or no database.
Database open_ledger(const std::string& path);

// Opens one that is there and writes nothing into it: over the tables of an earlier version lie
// views that live as long as the connection. A database without a ledger's tables is opened as it
// is. Throws as above.
Database open_ledger_to_read(const std::string& path);

// The names of a table's or view's columns; none if there is no such.
std::vector<std::string> columns_of(Database& database, std::string_view table);

}  // namespace retrystorm
