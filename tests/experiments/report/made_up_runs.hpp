// Two runs that never ran, for whoever tells of them: a collapse that is whole, and a run in which
// things go wrong.
#pragma once

#include "tests/experiments/report/fixture.hpp"

#include <string>

namespace retrystorm {

// Made once: the small collapse, predicted and whole.
inline const fixture::Folder& collapse_folder() {
  static const fixture::Folder folder;
  return folder;
}
inline const Report& collapse() {
  // The workers are a quarter of a per cent slow: within trust, and something to be wrong about.
  static const Report report =
      fixture::make_run(collapse_folder().path(), {fixture::small_collapse(), true, [](const Arm&) {
                                                     fixture::Fate fate;
                                                     fate.slow_work = 1.0025;
                                                     return fate;
                                                   }});
  return report;
}

// A run in which things go wrong, with names chosen to hurt.
inline Report rough_run(const std::string& directory) {
  fixture::Run run;
  run.experiment = fixture::small_collapse();
  run.experiment.question = "<script>alert('question')</script>";
  run.experiment.matrix.pop_back();
  for (const char* arm : {"<script>alert(1)</script>", "</script><b>|`*_", "slow", "fine"}) {
    run.experiment.arms.push_back({arm, {}});
  }
  run.fate = [](const Arm& arm) {
    fixture::Fate fate;
    if (arm.name.starts_with("<script>")) {
      fate.status = TryStatus::failed;
      fate.failure = "the service exited with 3: </script><img src=x onerror=alert(2)>";
    } else if (arm.name.starts_with("</script>")) {
      fate.status = TryStatus::killed;
      fate.until = instant_at(std::chrono::seconds(1));
    } else if (arm.name.starts_with("slow")) {
      fate.slow_work = 1.03;
    }
    return fate;
  };
  return fixture::make_run(directory, run);
}

}  // namespace retrystorm
