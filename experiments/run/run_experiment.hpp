// Runs the arms of an experiment one after the other, tries again what cannot be trusted, and
// leaves a run directory.
#pragma once

#include "experiments/evidence/run_directory.hpp"
#include "experiments/report/report.hpp"
#include "experiments/run/run_try.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace retrystorm {

struct RunOptions {
  std::string out;              // run directory; empty: results/NAME-TIMESTAMP
  std::int64_t repeats = 1;     // how often each arm is measured
  std::int64_t more_tries = 2;  // how often an untrusted measurement is made again
  TrustLimits limits;
  bool allow_slow = false;  // predictions may take as long as they do
  std::string program = "/proc/self/exe";
  std::string listen = "127.0.0.1:0";
  std::optional<PrometheusOptions> prometheus;  // none: no Prometheus beside the run
  // Called for a line that people should see while they wait; may be empty.
  std::function<void(const std::string&)> say;
  // With a value: called when the report is written, and then Prometheus stays until the user asks
  // to stop.
  std::function<void(const struct RunResult&)> stay;
};

// Where a run stands, for people who wait.
struct Progress {
  std::string_view arm;
  std::size_t number = 0;  // of this measurement (a repeat of an arm), from 1
  std::size_t of = 0;
  std::int64_t again = 0;  // how often it has been tried before
  Duration elapsed{};      // since sending began
  Duration duration{};     // of sending
  // Until the end of the run, if nothing more must be tried again: by the lengths of the arms, and
  // what the tries so far took beyond them.
  Duration left{};
  // Once, when the try is judged; `elapsed` is then its whole length.
  const Try* judged = nullptr;
  bool will_repeat = false;  // not trusted, and tried again
};

struct RunResult {
  Report report;
  std::string directory;
  int exit_code = 0;
  std::string not_stored;  // why the report could not be written; empty if it was
};

// Runs it. Each arm is run once before any is repeated. `tell` is called now and then while an arm
// is measured, and once when a try is judged; it may be empty. Throws InvalidInput (directory not
// fresh) or RunFailed (a full disk) where its records cannot be kept; a report that cannot is in
// the result all the same.
RunResult run_experiment(const Experiment& experiment, const RunOptions& options,
                         const std::function<void(const Progress&)>& tell);

}  // namespace retrystorm
