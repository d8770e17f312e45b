#include "experiments/evidence/ledger_database.hpp"

#include "core/error.hpp"
#include "experiments/evidence/ledger_sql.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// In `PRAGMA user_version`. The first version left it at 0, and called try_number `repeat`; the
// second knew one class of clients, and the third did not say why an attempt failed.
constexpr std::int64_t ledger_version = 4;

constexpr std::array<std::string_view, 4> tables = {"arms", "requests", "attempts", "arrivals"};

// A column that earlier versions had not; added at the end of its table.
struct Added {
  std::string_view table, column, declaration;
  std::string_view before;  // what its rows say where there is none
};
constexpr Added added_columns[] = {
    {"requests", "class", "INTEGER NOT NULL DEFAULT 0", "0"},
    {"attempts", "class", "INTEGER NOT NULL DEFAULT 0", "0"},
    {"attempts", "reason", "TEXT", "NULL"},
};

std::int64_t version_of(Database& database) {
  Statement row(database, "PRAGMA user_version");
  row.step();
  return row.only_column().integer();
}

void refuse_later_version(Database& database) {
  const std::int64_t version = version_of(database);
  if (version <= ledger_version) return;
  throw InvalidInput(database.path(), "user_version",
                     fmt::format("is {}; this program knows ledgers up to version {}: read it with "
                                 "the one that made it",
                                 version, ledger_version));
}

bool has(const std::vector<std::string>& columns, std::string_view name) {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

// By its columns: a copy by `sqlite3 .dump` has lost its version.
bool is_first_version(Database& database) {
  const std::vector<std::string> columns = columns_of(database, "arms");
  return has(columns, "repeat") && !has(columns, "try_number");
}

void rename_columns(Database& database) {
  // Renaming would carry these along; what ledger_views.sql says is made anew.
  for (const char* view : {"reconciliation", "exchanges", "both_sides", "request_ends"}) {
    database.execute(fmt::format("DROP VIEW IF EXISTS {}", view));
  }
  for (const std::string_view table : tables) {
    database.execute(fmt::format("ALTER TABLE {} RENAME COLUMN repeat TO try_number", table));
  }
  database.execute("ALTER TABLE arms ADD COLUMN repeat INTEGER");
}

// Those of the table that it has not: of an earlier version.
std::vector<Added> lacking(Database& database, std::string_view table) {
  const std::vector<std::string> columns = columns_of(database, table);
  std::vector<Added> all;
  for (const Added& one : added_columns) {
    if (one.table == table && !columns.empty() && !has(columns, one.column)) all.push_back(one);
  }
  return all;
}

void add_columns(Database& database) {
  for (const std::string_view table : tables) {
    for (const Added& one : lacking(database, table)) {
      database.execute(
          fmt::format("ALTER TABLE {} ADD COLUMN {} {}", table, one.column, one.declaration));
    }
  }
}

std::string sql_quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

// Hides a table of an earlier version behind a view with the columns of this one.
void cover(Database& database, std::string_view table, bool first_version) {
  std::string columns = "rowid AS rowid";  // a view has none of its own to order by
  for (const std::string& name : columns_of(database, table)) {
    columns +=
        first_version && name == "repeat" ? ", repeat AS try_number" : ", " + sql_quoted(name);
  }
  if (first_version && table == "arms") columns += ", NULL AS repeat";
  for (const Added& one : lacking(database, table)) {
    columns += fmt::format(", {} AS {}", one.before, one.column);
  }
  database.execute(fmt::format("CREATE TEMP VIEW {0} AS SELECT {1} FROM main.{0}", table, columns));
}

// The statements of ledger_views.sql, for views that live as long as the connection.
std::string temporary_views() {
  constexpr std::string_view lasting = "CREATE VIEW IF NOT EXISTS";
  std::string sql(ledger_views_sql);
  for (std::size_t at = 0; (at = sql.find(lasting, at)) != sql.npos;) {
    sql.replace(at, lasting.size(), "CREATE TEMP VIEW");
  }
  return sql;
}

}  // namespace

Database open_ledger(const std::string& path) {
  Database database(path);
  Transaction transaction(database);
  refuse_later_version(database);
  if (is_first_version(database)) rename_columns(database);
  add_columns(database);
  database.execute(std::string(ledger_tables_sql));
  database.execute(std::string(ledger_views_sql));
  if (version_of(database) != ledger_version) {
    database.execute(fmt::format("PRAGMA user_version = {}", ledger_version));
  }
  transaction.commit();
  return database;
}

Database open_ledger_to_read(const std::string& path) {
  Database database = Database::read_only(path);
  refuse_later_version(database);
  if (!is_first_version(database)) {
    for (const std::string_view table : tables) {
      if (!lacking(database, table).empty()) cover(database, table, false);
    }
    return database;
  }
  bool whole = true;
  for (const std::string_view table : tables) {
    if (columns_of(database, table).empty()) {
      whole = false;  // no ledger; whoever reads it will say what is missing
    } else {
      cover(database, table, true);
    }
  }
  if (whole) database.execute(temporary_views());
  return database;
}

std::vector<std::string> columns_of(Database& database, std::string_view table) {
  Statement rows(database, "SELECT name FROM pragma_table_info(?)");
  rows.bind(table);
  const Column name = rows["name"];
  std::vector<std::string> columns;
  while (rows.step()) columns.push_back(name.text());
  return columns;
}

}  // namespace retrystorm
