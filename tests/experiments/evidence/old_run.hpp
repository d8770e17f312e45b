// Runs that the program left when its ledger was of the first version, unpacked for a test:
// tests/data/old_run/README.md says what they hold.
#pragma once

#include "tests/places.hpp"
#include "tests/temporary_directory.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace retrystorm {

class OldRuns {
 public:
  OldRuns() {
    const std::string command = "tar -xzf '" + test_data("old_run/first_version.tar.gz") +
                                "' -C '" + directory_.path() + "'";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot unpack the old runs");
  }

  std::string repeated() const { return directory_.file("repeated"); }
  std::string killed() const { return directory_.file("killed"); }
  std::string report_of_killed() const { return directory_.file("killed.report.json"); }

 private:
  TemporaryDirectory directory_;
};

}  // namespace retrystorm
