#include "experiments/evidence/database.hpp"

#include "core/error.hpp"
#include "core/files.hpp"

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>

namespace retrystorm {

void Database::Close::operator()(sqlite3* database) const {
  ::sqlite3_close_v2(database);
}

Database::Database(const std::string& path, bool writes) : path_(path), writes_(writes) {
  const auto refuse = [&] {
    throw InvalidInput(
        path, "",
        "cannot be read: it must be a readable file; remove it to import again from arms/");
  };
  // A directory, a link that leads to itself (SQLite opens some of these), and a named pipe, which
  // would be waited for.
  std::error_code error;
  const bool there = std::filesystem::exists(std::filesystem::symlink_status(path, error));
  if (there && !std::filesystem::is_regular_file(path, error)) refuse();
  sqlite3* handle = nullptr;
  const int mode = writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const int code = ::sqlite3_open_v2(path.c_str(), &handle, mode, nullptr);
  handle_.reset(handle);
  if (code == SQLITE_CANTOPEN && !writes) refuse();  // a file not to be read
  if (code != SQLITE_OK) fail(code);
  ::sqlite3_busy_timeout(handle_.get(), 5000);  // someone may be looking at it with sqlite3
}

namespace {

// A commit that fails leaves no errno with SQLite: whether there is room shows in the limit for the
// size of a file, and on the disk. 0 where there is.
int no_room_at(const std::string& path) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return EFBIG;
  std::error_code error;
  const auto space = std::filesystem::space(path, error);
  return !error && space.available == 0 ? ENOSPC : 0;
}

}  // namespace

void Database::fail(int code) const {
  const char* message = handle_ ? ::sqlite3_errmsg(handle_.get()) : ::sqlite3_errstr(code);
  // All statements are ours, so one that does not fit finds a damaged schema, or another one.
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR) {
    throw InvalidInput(path_, "", fmt::format("{}; remove it to import again from arms/", message));
  }
  const int extended = handle_ ? ::sqlite3_extended_errcode(handle_.get()) : code;
  if (!writes_ && extended == SQLITE_READONLY_ROLLBACK) {
    throw InvalidInput(path_, "",
                       "whoever wrote it last was killed over it; `retrystorm report` of its "
                       "directory completes it");
  }
  // SQLite knows a full disk; of other failures it keeps what the system said.
  const int primary = code & 0xff;
  int system = handle_ ? ::sqlite3_system_errno(handle_.get()) : 0;
  if (system == 0 && primary == SQLITE_IOERR) system = no_room_at(path_);
  std::string why = message;
  if (primary == SQLITE_FULL) {
    why = write_error_text(ENOSPC);
  } else if (primary == SQLITE_IOERR && system != 0) {
    why += ": " + write_error_text(system);
  }
  throw RunFailed(fmt::format("{}: {}", printable(path_, 300), why));
}

void Database::execute(const std::string& sql) {
  const int code = ::sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::changes() const {
  return ::sqlite3_changes64(handle_.get());
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  ::sqlite3_finalize(statement);
}

Statement::Statement(Database& database, std::string_view sql) : database_(&database) {
  sqlite3_stmt* statement = nullptr;
  check(::sqlite3_prepare_v2(database.handle_.get(), sql.data(), static_cast<int>(sql.size()),
                             &statement, nullptr));
  statement_.reset(statement);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) database_->fail(code);
}

void Statement::reset() {
  ::sqlite3_reset(statement_.get());
}

bool Statement::step() {
  const int code = ::sqlite3_step(statement_.get());
  check(code);
  return code == SQLITE_ROW;
}

Column Statement::operator[](std::string_view name) const {
  int found = -1;
  for (int i = 0; i < ::sqlite3_column_count(statement_.get()); ++i) {
    if (name != ::sqlite3_column_name(statement_.get(), i)) continue;
    if (found >= 0) throw std::logic_error(fmt::format("two columns '{}'", name));
    found = i;
  }
  if (found < 0) throw std::logic_error(fmt::format("no column '{}'", name));
  return {statement_.get(), found};
}

Column Statement::only_column() const {
  const int columns = ::sqlite3_column_count(statement_.get());
  if (columns != 1) throw std::logic_error(fmt::format("{} columns in place of one", columns));
  return {statement_.get(), 0};
}

bool Column::is_null() const {
  return ::sqlite3_column_type(statement_, index_) == SQLITE_NULL;
}

std::int64_t Column::integer() const {
  return ::sqlite3_column_int64(statement_, index_);
}

std::optional<std::int64_t> Column::optional_integer() const {
  if (is_null()) return std::nullopt;
  return integer();
}

std::optional<double> Column::number() const {
  if (is_null()) return std::nullopt;
  return ::sqlite3_column_double(statement_, index_);
}

std::string Column::text() const {
  const auto* text = ::sqlite3_column_text(statement_, index_);
  const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(statement_, index_));
  return text ? std::string(reinterpret_cast<const char*>(text), size) : std::string();
}

void Statement::bind_one(int index, Null) {
  check(::sqlite3_bind_null(statement_.get(), index));
}

void Statement::bind_one(int index, std::int64_t value) {
  check(::sqlite3_bind_int64(statement_.get(), index, value));
}

void Statement::bind_one(int index, double value) {
  check(::sqlite3_bind_double(statement_.get(), index, value));
}

void Statement::bind_one(int index, std::uint64_t value) {
  bind_one(index, static_cast<std::int64_t>(value));
}

void Statement::bind_one(int index, std::string_view value) {
  // A null pointer would bind NULL; an empty text is a text.
  const char* data = value.data() ? value.data() : "";
  check(::sqlite3_bind_text(statement_.get(), index, data, static_cast<int>(value.size()),
                            SQLITE_TRANSIENT));
}

void Statement::bind_one(int index, const std::optional<std::int64_t>& value) {
  value ? bind_one(index, *value) : bind_one(index, Null{});
}

void Statement::bind_one(int index, const std::optional<double>& value) {
  value ? bind_one(index, *value) : bind_one(index, Null{});
}

void Statement::bind_one(int index, const std::optional<std::string_view>& value) {
  value ? bind_one(index, *value) : bind_one(index, Null{});
}

Transaction::Transaction(Database& database) : database_(&database) {
  database.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_->execute("ROLLBACK");
  } catch (const std::exception&) {
    // Already rolled back by the error that brought us here.
  }
}

void Transaction::commit() {
  database_->execute("COMMIT");
  open_ = false;
}

}  // namespace retrystorm
