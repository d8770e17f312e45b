#include "experiments/report/stored_report.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "experiments/evidence/stored_run.hpp"
#include "experiments/experiment/experiment.hpp"
#include "experiments/report/predictions.hpp"

#include <filesystem>

#include <boost/json/value.hpp>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

// What a directory can be asked for: a written report, or what it takes to make one.
void check_directory(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    throw InvalidInput(path, "DIR", "must be the directory of a run");
  }
  if (!fs::exists(path + "/report.json", error) && !fs::exists(path + "/experiment.toml", error)) {
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

}  // namespace

Report report_of_directory(const std::string& path) {
  check_directory(path);
  std::error_code error;
  if (const std::string file = path + "/report.json"; fs::exists(file, error)) {
    try {
      return report_from_json(parse_json(read_file(file), file), file);
    } catch (const InvalidInput& damage) {
      if (!fs::exists(path + "/experiment.toml", error)) throw;
      throw InvalidInput(damage.what(), "", "remove it to have it made again from arms/");
    }
  }
  const RunDirectory directory = RunDirectory::look(path);
  Database ledger = open_ledger(":memory:");
  StoredTries stored = judge_stored_tries(directory, ledger);
  return made_report(directory, ledger, std::move(stored.tries));
}

Report report_at(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return report_of_directory(path);
  return report_from_json(parse_json(read_file(path), path), path);
}

void recover_run(const std::string& path) {
  check_directory(path);
  std::error_code error;
  const bool reported = fs::exists(path + "/report.json", error);
  const auto size = fs::file_size(path + "/run.sqlite", error);
  if (reported && !error && size > 0) return;
  const RunDirectory directory = RunDirectory::open(path);
  if (reported) {  // only the ledger is gone
    if (directory.note_files().empty()) return;
    Database ledger = open_ledger(directory.database_file());
    judge_stored_tries(directory, ledger);
    return;
  }
  // Judged before anything is written: a directory that is damaged stays as it is.
  arms_of(experiment_from_file(directory.experiment_file()), directory.experiment_file());
  Database ledger = open_ledger(directory.database_file());
  StoredTries stored = judge_stored_tries(directory, ledger);
  for (std::size_t i = 0; i < stored.notes.size(); ++i) {
    write_whole(stored.files[i], pretty_json(to_json(stored.notes[i])));
  }
  const Report report = made_report(directory, ledger, std::move(stored.tries));
  write_whole(directory.report_file(), pretty_json(to_json(report)));
}

}  // namespace retrystorm
