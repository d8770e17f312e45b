// SQLite with owners: a database and a prepared statement that close themselves, values bound by
// place and read by the name of their column. No SQL stands here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace retrystorm {

// NULL.
struct Null {};

class Database;

// One column of a statement's rows, found once; what is read is of the row the statement is at.
// Outlives no statement, but may stay while the statement is moved.
class Column {
 public:
  bool is_null() const;
  std::int64_t integer() const;                          // 0 for NULL
  std::optional<std::int64_t> optional_integer() const;  // nothing for NULL, as the next
  std::optional<double> number() const;
  std::string text() const;  // empty for NULL

 private:
  friend class Statement;
  Column(sqlite3_stmt* statement, int index) : statement_(statement), index_(index) {}

  sqlite3_stmt* statement_;
  int index_;
};

class Statement {
 public:
  // Throws RunFailed (InvalidInput for a damaged database) naming the database.
  Statement(Database& database, std::string_view sql);

  // Binds the parameters from the first on.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    reset();
    int index = 0;
    (bind_one(++index, values), ...);
    return *this;
  }
  // Goes to the next row; false after the last.
  bool step();
  // Binds, runs to the end and forgets the rows: for statements that give none.
  template <typename... Values>
  void run(const Values&... values) {
    bind(values...);
    while (step()) {
    }
  }

  // The column of this name: asked for once, not in every row. Throws std::logic_error if the
  // statement gives no such column, or several: it is ours, so that is a mistake in the program.
  Column operator[](std::string_view name) const;
  // The column of a statement that gives just one.
  Column only_column() const;

 private:
  void reset();
  void check(int code) const;
  void bind_one(int index, Null);
  void bind_one(int index, std::int64_t value);
  void bind_one(int index, std::uint64_t value);
  void bind_one(int index, double value);
  void bind_one(int index, int value) { bind_one(index, std::int64_t{value}); }
  void bind_one(int index, std::uint32_t value) { bind_one(index, std::int64_t{value}); }
  void bind_one(int index, std::string_view value);
  void bind_one(int index, const std::string& value) { bind_one(index, std::string_view(value)); }
  // Out of line: inlined, g++ 12 takes an empty optional for an uninitialized one.
  void bind_one(int index, const std::optional<std::int64_t>& value);
  void bind_one(int index, const std::optional<double>& value);
  void bind_one(int index, const std::optional<std::string_view>& value);

  Database* database_;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  // Opens or creates the file. Throws RunFailed, or InvalidInput if it is no database.
  explicit Database(const std::string& path) : Database(path, true) {}
  // Opens a file that is there, and changes nothing in it.
  static Database read_only(const std::string& path) { return {path, false}; }

  // Runs statements that take and give nothing.
  void execute(const std::string& sql);
  std::int64_t changes() const;  // rows the last statement changed
  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  Database(const std::string& path, bool writes);
  [[noreturn]] void fail(int code) const;

  std::string path_;
  bool writes_;
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

// All or nothing: rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database* database_;
  bool open_ = true;
};

}  // namespace retrystorm
