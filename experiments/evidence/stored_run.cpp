#include "experiments/evidence/stored_run.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json.hpp"

#include <algorithm>
#include <filesystem>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

TryNote read_note(const std::string& file) {
  return note_from_json(parse_json(read_file(file), file), file);
}

// The records of a note, unless they are there.
void import_once(Database& database, TryNote& note, const std::string& file) {
  if (is_imported(database, note.key)) return;
  const std::string raw = fs::path(file).parent_path().string();
  note.imported = import_ledgers(database, note.key, note.token, note.scenario, raw);
}

// A database without these tables, or with nothing in them, is no ledger.
bool holds_records(Database& database) {
  Statement table(database, "SELECT 1 FROM sqlite_master WHERE name = 'arms'");
  return table.step() && Statement(database, "SELECT 1 FROM arms").step();
}

// Not so where the run was killed: its last try is in raw files only.
bool holds_every_try(Database& database, const std::vector<std::string>& note_files) {
  return std::all_of(note_files.begin(), note_files.end(), [&](const std::string& file) {
    return is_imported(database, read_note(file).key);
  });
}

}  // namespace

StoredTries judge_stored_tries(const RunDirectory& directory, Database& ledger) {
  StoredTries stored;
  for (const std::string& file : directory.note_files()) {
    TryNote note = read_note(file);
    import_once(ledger, note, file);
    if (note.status == TryStatus::running) note.status = TryStatus::killed;
    stored.tries.push_back(judge(ledger, note));
    stored.notes.push_back(std::move(note));
    stored.files.push_back(file);
  }
  const auto earlier = [](const Try& a, const Try& b) {
    return a.key.try_number < b.key.try_number;
  };
  std::stable_sort(stored.tries.begin(), stored.tries.end(), earlier);
  return stored;
}

std::optional<Database> ledger_of_directory(const std::string& path) {
  const std::string file = path + "/run.sqlite";
  std::error_code error;
  std::optional<Database> stored;
  if (fs::exists(file, error)) {
    stored = open_ledger_to_read(file);
    if (!holds_records(*stored)) stored.reset();
  }
  if (stored && fs::exists(path + "/report.json", error)) return stored;
  if (!fs::is_directory(path, error)) return std::nullopt;
  const RunDirectory directory = RunDirectory::look(path);
  const std::vector<std::string> notes = directory.note_files();
  if (stored && holds_every_try(*stored, notes)) return stored;
  if (notes.empty()) return std::nullopt;
  Database database = open_ledger(":memory:");
  judge_stored_tries(directory, database);
  return database;
}

}  // namespace retrystorm
