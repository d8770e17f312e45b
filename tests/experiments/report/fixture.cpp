#include "tests/experiments/report/fixture.hpp"

#include "core/files.hpp"
#include "core/json.hpp"
#include "experiments/evidence/process_end.hpp"
#include "experiments/evidence/run_directory.hpp"
#include "experiments/report/predictions.hpp"

#include <cmath>

#include <boost/json.hpp>
#include <stdlib.h>

namespace retrystorm::fixture {
namespace {

Try make_try(Database& database, const Arm& arm, const Fate& fate, std::int64_t repeat) {
  TryNote note;
  note.key = {arm.name, repeat};
  note.repeat = repeat;
  note.repeats = fate.repeats;
  note.token = 1;
  note.status = fate.status;
  note.failure = fate.failure;
  note.scenario = arm.scenario;
  note.environment = {{"kernel", "Linux 6.1"}, {"cores", 2}, {"clock_source", "tsc"}};
  note.imported = Imported{};
  note.service = note.generator = ProcessEnd{};
  note.service_said = note.generator_said = {{"ledger_lost", 0}};
  Scenario played = arm.scenario;
  const double slower = fate.slow_work * (1 + 0.001 * static_cast<double>(repeat));
  played.service.work =
      Duration(std::llround(static_cast<double>(played.service.work.count()) * slower));
  Statement(database,
            "INSERT INTO arms (arm, try_number, token, scenario) VALUES (?, ?, '1', '{}')")
      .run(arm.name, repeat);
  if (fate.status != TryStatus::failed) write_ledger(database, note.key, played, fate.until);
  return judge(database, note);
}

}  // namespace

Experiment small_collapse() {
  return experiment_from_toml(R"(
    [experiment]
    name = "small-collapse"
    question = "Does a bench a fifth as large collapse in the same way?"
    [service]
    workers = 4
    work = "20ms"
    queue = 20
    [client]
    duration = "3s"
    timeout = "100ms"
    [matrix]
    "client.rate" = [160, 240]
    "client.retries" = [0, 2]
  )",
                              "small-collapse.toml");
}

Report make_run(const std::string& directory, const Run& run) {
  make_directories(directory);
  write_whole(directory + "/experiment.toml", experiment_to_toml(run.experiment));
  const std::vector<Arm> arms = arms_of(run.experiment, "fixture");
  Database database = open_ledger(directory + "/run.sqlite");
  std::vector<Try> tries;
  for (const Arm& arm : arms) {
    const Fate fate = run.fate(arm);
    for (std::int64_t repeat = 0; repeat < fate.repeats; ++repeat) {
      tries.push_back(make_try(database, arm, fate, repeat));
    }
  }
  Report report = make_report(run.experiment, arms, std::move(tries));
  if (run.predicted) add_predictions(report, database);
  write_whole(directory + "/report.json", pretty_json(to_json(report)));
  return report;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "retrystorm-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::filesystem::filesystem_error("mkdtemp", {});
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace retrystorm::fixture
