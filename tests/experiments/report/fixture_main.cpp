// report_fixture FOLDER: makes the run directories that the tests of the pages open.
#include "tests/experiments/report/fixture.hpp"

#include <cstdio>
#include <exception>

using namespace retrystorm;

namespace {

// Names that would be code if they were not text.
constexpr const char* hostile = "<script>document.title='broken in'</script>";

fixture::Run rough() {
  fixture::Run run{fixture::small_collapse()};
  run.experiment.question = hostile;
  run.experiment.matrix.pop_back();
  for (const char* arm : {hostile, "killed </script>", "slow", "whole"}) {
    run.experiment.arms.push_back({arm, {}});
  }
  run.fate = [](const Arm& arm) {
    fixture::Fate fate;
    if (arm.name.starts_with(hostile)) {
      fate.status = TryStatus::failed;
      fate.failure = "the service exited with 3: <img src=x onerror=alert(1)></script>";
    } else if (arm.name.starts_with("killed")) {
      fate.status = TryStatus::killed;
      fate.until = instant_at(std::chrono::milliseconds(1700));
    } else if (arm.name.starts_with("slow")) {
      fate.slow_work = 1.03;
    }
    return fate;
  };
  return run;
}

void make_all(const std::string& folder) {
  fixture::Run repeated{fixture::small_collapse()};
  repeated.fate = [](const Arm&) {
    fixture::Fate fate;
    fate.repeats = 3;
    return fate;
  };
  fixture::make_run(folder + "/whole-20250101T120000Z", repeated);
  fixture::Run plain{fixture::small_collapse()};
  plain.predicted = false;
  fixture::make_run(folder + "/plain-20250102T120000Z", plain);
  fixture::make_run(folder + "/rough-20250103T120000Z", rough());
  fixture::Run single{fixture::small_collapse()};
  single.experiment.matrix.clear();
  single.experiment.base.client.rate = 240;
  fixture::make_run(folder + "/single-20250104T120000Z", single);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: report_fixture FOLDER\n", stderr);
    return 2;
  }
  try {
    make_all(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "report_fixture: %s\n", error.what());
    return 1;
  }
  return 0;
}
