// The report of a run that is over, from its directory.
#pragma once

#include "experiments/report/report.hpp"

#include <string>

namespace retrystorm {

// The report of a run directory: the one the run wrote, or, for a killed run, one made now from its
// raw files. What the written one was made of is held against its digests: an arm whose records are
// not what was written is not trusted. Writes nothing. Throws InvalidInput for a directory that is
// no run's, and for a report or, where one is made, files that are damaged or were altered.
Report report_of_directory(const std::string& path);

// The report at a path: a run directory, or a report.json. Throws InvalidInput, also for books that
// do not balance.
Report report_at(const std::string& path);

// Completes what a killed run left: its raw files imported into run.sqlite, its notes closed, its
// report.json written. Changes nothing where all that is there. Throws as report_of_directory()
// does, and RunFailed where it cannot write.
void recover_run(const std::string& path);

}  // namespace retrystorm
