#include "experiments/evidence/stored_run.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "core/recordings.hpp"
#include "experiments/evidence/checksums.hpp"
#include "experiments/evidence/kept_recordings.hpp"

#include <algorithm>
#include <filesystem>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

TryNote read_note(const std::string& file) {
  return note_from_json(parse_json(read_file(file), file), file);
}

bool all_there(const std::string& directory, const LedgerDigests& digests) {
  return !digests.empty() && std::all_of(digests.begin(), digests.end(), [&](const auto& file) {
    std::error_code error;
    return fs::exists(directory + "/" + file.first, error);
  });
}

// The records of a note, unless they are there. Those of a database that nothing vouches for, as
// of a run that was killed, are read again where the raw files can be vouched for.
void import_once(Database& database, TryNote& note, const std::string& file, bool vouched) {
  const std::string raw = fs::path(file).parent_path().string();
  if (is_imported(database, note.key)) {
    if (vouched || !all_there(raw, note.digests)) return;
    forget_try(database, note.key);
  }
  note.imported = import_ledgers(database, note.key, note.token, note.scenario, raw, note.digests);
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
  const Checksums sums(directory.path());
  const bool vouched = sums.has("run.sqlite");
  for (const std::string& name : kept_recordings(directory.path())) sums.require(name, "");
  Recordings recordings(directory.path());
  StoredTries stored;
  for (const std::string& file : directory.note_files()) {
    sums.require(file.substr(directory.path().size() + 1), "");
    TryNote note = read_note(file);
    recordings.read_into(note.scenario);
    import_once(ledger, note, file, vouched);
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
    if (fs::is_regular_file(file, error) && fs::file_size(file, error) > 0) {
      Checksums(path).require("run.sqlite", "remove it to import again from arms/");
    }
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
