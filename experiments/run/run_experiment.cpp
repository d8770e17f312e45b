#include "experiments/run/run_experiment.hpp"

#include "core/clocks.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "core/scenario_toml.hpp"
#include "experiments/evidence/checksums.hpp"
#include "experiments/evidence/kept_recordings.hpp"
#include "experiments/report/predictions.hpp"
#include "experiments/run/pace.hpp"
#include "experiments/run/prometheus/alertmanager.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace retrystorm {
namespace {

class Run {
 public:
  Run(const Experiment& experiment, const RunOptions& options,
      const std::function<void(const Progress&)>& tell)
      : options_(options),
        tell_(tell),
        arms_(arms_of(experiment, "experiment")),
        directory_(RunDirectory::create(options.out.empty() ? fresh_run_path(experiment.name)
                                                            : options.out)),
        experiment_(keep_recordings(experiment, arms_, directory_.path())),
        next_try_(arms_.size(), 0) {
    arms_ = arms_of(experiment_, directory_.path());  // from here on by the copies
  }

  RunResult run() {
    write_whole(directory_.experiment_file(), experiment_to_toml(experiment_));
    make_directories(directory_.path() + "/arms");
    Database database = open_ledger(directory_.database_file());
    if (options_.prometheus) start_prometheus();
    for (std::int64_t repeat = 0; repeat < options_.repeats; ++repeat) {
      for (std::size_t arm = 0; arm < arms_.size() && !stopped(); ++arm) {
        measure(database, arm, repeat);
      }
    }
    look_for_alertmanager();
    RunResult result{make_report(experiment_, arms_, std::move(tries_)), directory_.path(), 0, {}};
    add_predictions(result.report, database, effort());
    try {
      write_whole(directory_.report_file(), pretty_json(to_json(result.report)));
      write_checksums(directory_.path());
    } catch (const RunFailed& problem) {
      result.not_stored = problem.what();
    }
    result.exit_code = stopped() ? static_cast<int>(exit_interrupted) : exit_code_of(result.report);
    if (page_) page_->done();
    if (prometheus_ && options_.stay && !stopped()) {
      options_.stay(result);
      prometheus_->stay();
    }
    return result;
  }

 private:
  bool stopped() { return interrupts_.count() > 0; }

  // Predictions end with the run: what they lack is noted.
  Effort effort() {
    const Stop stop([](void* run) { return static_cast<Run*>(run)->stopped(); }, this);
    return options_.allow_slow ? any_effort(stop) : Effort{usual_most, stop};
  }

  void start_prometheus() {
    const std::string directory = directory_.path() + "/prometheus";
    PrometheusOptions options = *options_.prometheus;
    page_.emplace(directory + "/page", experiment_.name, options_.limits);
    options.run_file = page_->run_file();
    if (options_.say) options_.say("starting Prometheus: it looks at its targets after 5 s");
    prometheus_.emplace(directory, options, interrupts_);
    if (options_.say) options_.say("live page: " + prometheus_->page());
  }

  // It was there at the start; alerts of a run that it did not live to see reached nobody.
  void look_for_alertmanager() {
    if (!options_.prometheus || !options_.prometheus->alertmanager || !options_.say) return;
    const std::string problem = alertmanager_problem(*options_.prometheus->alertmanager);
    if (!problem.empty()) {
      options_.say(fmt::format("warning: --alertmanager {} any more: alerts may be lost", problem));
    }
  }

  // One repeat of one arm: tried again while it is not trusted. What failed outright would
  // most likely fail again.
  void measure(Database& database, std::size_t arm, std::int64_t repeat) {
    for (std::int64_t more = 0; more <= options_.more_tries && !stopped(); ++more) {
      Progress progress = progress_at(arm, repeat);
      progress.again = more;
      const Instant began = steady_now();
      tries_.push_back(make_try(database, arm, repeat, progress));
      const Try& made = tries_.back();
      if (page_) page_->judged(made.trusted, made.reasons);
      const Duration took = steady_now() - began;
      pace_.add(took, progress.duration);
      const bool again = !made.trusted && made.status == TryStatus::done && !stopped();
      progress.elapsed = took;
      progress.left = pace_.left(sending_after(arm, repeat), progress.of - progress.number);
      progress.judged = &made;
      progress.will_repeat = again && more < options_.more_tries;
      if (tell_) tell_(progress);
      if (!again) return;
    }
  }

  Progress progress_at(std::size_t arm, std::int64_t repeat) const {
    Progress progress;
    progress.arm = arms_[arm].name;
    progress.number = static_cast<std::size_t>(repeat) * arms_.size() + arm + 1;
    progress.of = static_cast<std::size_t>(options_.repeats) * arms_.size();
    progress.duration = arms_[arm].scenario.client.duration;
    return progress;
  }

  // How long the measurements after this one send.
  Duration sending_after(std::size_t arm, std::int64_t repeat) const {
    Duration once{};
    Duration rest{};
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      const Duration sends = arms_[i].scenario.client.duration;
      once += sends;
      if (i > arm) rest += sends;
    }
    return rest + once * (options_.repeats - repeat - 1);
  }

  Try make_try(Database& database, std::size_t arm, std::int64_t repeat, Progress progress) {
    if (prometheus_ && !tries_.empty()) prometheus_->part_tries();
    TrySpec spec;
    spec.key = {arms_[arm].name, next_try_[arm]++};
    spec.repeat = repeat;
    spec.repeats = options_.repeats;
    spec.scenario = arms_[arm].scenario;
    spec.limits = options_.limits;
    spec.directory = directory_.try_directory(arm, spec.key);
    spec.program = options_.program;
    spec.listen = options_.listen;
    spec.prometheus = prometheus_ ? &*prometheus_ : nullptr;
    spec.page = page_ ? &*page_ : nullptr;
    const Duration sends_after = sending_after(arm, repeat);
    TryNote note = run_try(spec, interrupts_, [&](Duration elapsed) {
      if (!tell_) return;
      progress.elapsed = elapsed;
      progress.left = pace_.left(sends_after, progress.of - progress.number + 1) +
                      std::max(progress.duration - elapsed, Duration::zero());
      tell_(progress);
    });
    try {
      take_in(database, note, spec.directory);
      write_whole(note_file(spec.directory), pretty_json(to_json(note)));
      return judge(database, note);
    } catch (const RunFailed& problem) {
      throw RunFailed(fmt::format(
          "{}; the raw records are kept: `retrystorm report {}` imports them once that is mended",
          problem.what(), directory_.path()));
    }
  }

  // What cannot be read back is a failed try, and does not end the run.
  static void take_in(Database& database, TryNote& note, const std::string& directory) {
    try {
      note.imported =
          import_ledgers(database, note.key, note.token, note.scenario, directory, note.digests);
    } catch (const InvalidInput& damage) {
      note.status = TryStatus::failed;
      note.failure = damage.what();
    }
  }

  const RunOptions& options_;
  const std::function<void(const Progress&)>& tell_;
  std::vector<Arm> arms_;
  RunDirectory directory_;
  Experiment experiment_;
  Interrupts interrupts_;
  std::optional<LivePage> page_;
  std::optional<PrometheusServer> prometheus_;
  std::vector<std::int64_t> next_try_;
  std::vector<Try> tries_;
  Pace pace_;
};

}  // namespace

RunResult run_experiment(const Experiment& experiment, const RunOptions& options,
                         const std::function<void(const Progress&)>& tell) {
  return Run(experiment, options, tell).run();
}

}  // namespace retrystorm
