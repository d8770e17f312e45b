// A run that is over, read from its directory: its tries and its ledger. Reads only; what a killed
// run left in raw files is imported into memory, or into the directory's own database by whoever
// recovers the run.
#pragma once

#include "experiments/evidence/database.hpp"
#include "experiments/evidence/run_directory.hpp"
#include "experiments/evidence/try.hpp"

#include <optional>
#include <string>
#include <vector>

namespace retrystorm {

// The tries of the directory's notes, judged, the earlier ones first; what `ledger` does not hold
// yet is imported into it. A try that was going on is a killed one. Throws InvalidInput for notes
// or raw files that are damaged, or not what was written.
struct StoredTries {
  std::vector<TryNote> notes;  // as they are now; beside each the file it stands in
  std::vector<std::string> files;
  std::vector<Try> tries;
};
StoredTries judge_stored_tries(const RunDirectory& directory, Database& ledger);

// The ledger of a run that is over: run.sqlite, or, where that is missing, empty or without the try
// in which the run was killed, one in memory from the raw files under arms/; nothing if there are
// none. Throws InvalidInput for one that is damaged or not what was written, and while the run
// still writes.
std::optional<Database> ledger_of_directory(const std::string& path);

}  // namespace retrystorm
