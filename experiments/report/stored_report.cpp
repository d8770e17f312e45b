#include "experiments/report/stored_report.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "core/recordings.hpp"
#include "experiments/evidence/checksums.hpp"
#include "experiments/evidence/kept_recordings.hpp"
#include "experiments/evidence/stored_run.hpp"
#include "experiments/experiment/experiment.hpp"
#include "experiments/report/predictions.hpp"
#include "experiments/report/report_check.hpp"

#include <algorithm>
#include <filesystem>

#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view no_digests =
    "no digests were kept of this run, so it cannot be told whether its files are what it wrote";

// What leads nowhere, as a link to itself, is there too: it is no report, and not to be made one.
bool is_there(const std::string& file) {
  std::error_code error;
  return fs::exists(file, error) || error;
}

// What a directory can be asked for: a written report, or what it takes to make one.
void check_directory(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    throw InvalidInput(path, "DIR", "must be the directory of a run");
  }
  if (!is_there(path + "/report.json") && !is_there(path + "/experiment.toml")) {
    throw InvalidInput(path, "DIR",
                       "must be the directory of a run: it has no report.json and no "
                       "experiment.toml");
  }
}

// A killed run's report, with the records in `ledger`.
Report made_report(const RunDirectory& directory, Database& ledger, std::vector<Try> tries) {
  const Experiment experiment = experiment_from_file(directory.experiment_file());
  const std::vector<Arm> arms = arms_of(experiment, directory.experiment_file());
  Report report = make_report(experiment, arms, std::move(tries));
  add_predictions(report, ledger);
  return report;
}

Report written_report(const std::string& path, const Checksums& sums) {
  const std::string file = path + "/report.json";
  try {
    const std::string text = read_file(file);
    if (const std::string what = sums.alteration("report.json", text); !what.empty()) {
      throw InvalidInput(file, "", what);
    }
    return checked_report(text, file);
  } catch (const InvalidInput& damage) {
    if (!is_there(path + "/experiment.toml")) throw;
    throw InvalidInput(damage.what(), "", "remove it to have it made again from arms/");
  }
}

// No figure is changed; but an arm whose records are not what was written can be held against
// nothing any more.
void distrust(Report& report, const TryNote& note, const std::string& reason) {
  for (ArmReport& arm : report.arms) {
    if (arm.name != note.key.arm) continue;
    for (Try& t : arm.tries) {
      if (t.key.try_number != note.key.try_number) continue;
      t.trusted = false;
      t.reasons.push_back(reason);
    }
    arm.trusted = false;
    arm.reasons.push_back(reason);
  }
}

// Of an altered one nothing is read: what hangs on it is not predicted again.
void read_recordings(Report& report, const std::string& path, const Checksums& sums) {
  Recordings recordings(path);
  try {
    for (const std::string& name : kept_recordings(path)) sums.require(name, "");
    for (ArmReport& arm : report.arms) recordings.read_into(arm.scenario);
  } catch (const InvalidInput& damage) {
    report.notices.emplace_back(damage.what());
  }
}

// What a written report was made of, held against what it was then.
void look_at_evidence(Report& report, const std::string& path, const Checksums& sums) {
  if (sums.empty()) {
    report.notices.emplace_back(no_digests);
    return;
  }
  std::error_code error;
  for (const char* name : {"experiment.toml", "run.sqlite"}) {
    if (!fs::is_regular_file(path + "/" + name, error)) continue;
    const std::string what = sums.alteration(name);
    if (!what.empty()) report.notices.push_back(fmt::format("{} {}", name, what));
  }
  for (const std::string& file : note_files_in(path)) {
    const std::string name = file.substr(path.size() + 1);
    const std::string text = read_file(file);
    const TryNote note = note_from_json(parse_json(text, file), file);
    if (const std::string what = sums.alteration(name, text); !what.empty()) {
      distrust(report, note, fmt::format("{} {}", name, what));
      continue;
    }
    const std::string directory = fs::path(file).parent_path().string();
    for (const std::string& what : altered_ledgers(directory, note.digests)) {
      distrust(report, note, fmt::format("{}/{}", fs::path(name).parent_path().string(), what));
    }
  }
}

// What a report is made of anew must be what the run wrote, where that is known.
void require_written(const std::string& path) {
  const Checksums sums(path);
  std::error_code error;
  sums.require("experiment.toml", "");
  for (const std::string& name : kept_recordings(path)) sums.require(name, "");
  if (fs::is_regular_file(path + "/run.sqlite", error) &&
      fs::file_size(path + "/run.sqlite", error) > 0) {
    sums.require("run.sqlite", "remove it to import again from arms/");
  }
}

}  // namespace

Report report_of_directory(const std::string& path) {
  check_directory(path);
  if (is_there(path + "/report.json")) {
    const Checksums sums(path);
    Report report = written_report(path, sums);
    read_recordings(report, path, sums);
    look_at_evidence(report, path, sums);
    return report;
  }
  const RunDirectory directory = RunDirectory::look(path);
  Checksums(path).require("experiment.toml", "");
  Database ledger = open_ledger(":memory:");
  StoredTries stored = judge_stored_tries(directory, ledger);
  Report report = made_report(directory, ledger, std::move(stored.tries));
  const bool lacks_digests = std::any_of(
      stored.notes.begin(), stored.notes.end(),
      [](const TryNote& note) { return note.digests.empty() && note.status == TryStatus::done; });
  if (lacks_digests) report.notices.emplace_back(no_digests);
  return report;
}

Report report_at(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return report_of_directory(path);
  return checked_report(read_file(path), path);
}

void recover_run(const std::string& path) {
  check_directory(path);
  std::error_code error;
  const bool reported = is_there(path + "/report.json");
  const auto size = fs::file_size(path + "/run.sqlite", error);
  if (reported && !error && size > 0) return;
  const RunDirectory directory = RunDirectory::open(path);
  if (reported) {  // only the ledger is gone
    if (directory.note_files().empty()) return;
    {
      Database ledger = open_ledger(directory.database_file());
      judge_stored_tries(directory, ledger);
    }
    renew_checksum(path, "run.sqlite");
    return;
  }
  // Judged before anything is written: a directory that is damaged stays as it is.
  require_written(path);
  arms_of(experiment_from_file(directory.experiment_file()), directory.experiment_file());
  Database ledger = open_ledger(directory.database_file());
  StoredTries stored = judge_stored_tries(directory, ledger);
  for (std::size_t i = 0; i < stored.notes.size(); ++i) {
    TryNote& note = stored.notes[i];
    const std::string raw = fs::path(stored.files[i]).parent_path().string();
    if (note.digests.empty()) note.digests = digests_of_try(raw, {});  // from now on
    write_whole(stored.files[i], pretty_json(to_json(note)));
  }
  const Report report = made_report(directory, ledger, std::move(stored.tries));
  write_whole(directory.report_file(), pretty_json(to_json(report)));
  write_checksums(path);
}

}  // namespace retrystorm
