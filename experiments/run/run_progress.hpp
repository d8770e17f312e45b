// What `run` says while it measures: on a terminal a line written over and over, elsewhere a line
// for each arm; on both, why a try is made again.
#pragma once

#include "experiments/run/run_experiment.hpp"

#include <cstddef>
#include <string>

namespace retrystorm {

// The line of a terminal, of at most `width` columns.
std::string progress_line(const Progress& progress, std::size_t width);

// What stays of a judged try, without a line end. Empty on a terminal, unless the try is made again
// or can not be trusted.
std::string judged_line(const Progress& progress, bool terminal);

}  // namespace retrystorm
