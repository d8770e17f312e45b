// Run directories as `run` would leave them, from a simulation that writes a ledger: exact, the
// same everywhere, and made in a moment. Everything behind the ledger is the product's own code.
#pragma once

#include "experiments/report/report.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace retrystorm::fixture {

// Simulates the scenario on virtual time and writes what both sides would have recorded. What
// happens after `until` is missing, as if the run had been killed then.
void write_ledger(Database& database, const TryKey& key, const Scenario& scenario,
                  Instant until = never);

// What happens to one arm of a run.
struct Fate {
  TryStatus status = TryStatus::done;
  std::string failure;       // why it failed
  double slow_work = 1;      // the workers take this much longer than the scenario says
  Instant until = never;     // killed then
  std::int64_t repeats = 1;  // the i-th takes i per mille longer: a spread
};

struct Run {
  Experiment experiment;
  bool predicted = true;
  std::function<Fate(const Arm&)> fate = [](const Arm&) { return Fate{}; };
};

// The collapse on a bench a fifth as large: rates and retries around the ceiling of 200/s.
Experiment small_collapse();

// Makes the run directory and returns its report.
Report make_run(const std::string& directory, const Run& run);

// Deleted with its content at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace retrystorm::fixture
