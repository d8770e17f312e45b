// The recordings of a run, kept in its directory under recorded/: what was offered can be drawn
// again, wherever the directory goes, and the report holds what was measured to it. Kept is what
// was read, in nanoseconds: of a log only the instants.
#pragma once

#include "experiments/experiment/experiment.hpp"

#include <string>
#include <vector>

namespace retrystorm {

// Writes what the arms name into `directory`. The same experiment, naming the copies in it. Throws
// RunFailed where they cannot be written.
Experiment keep_recordings(const Experiment& experiment, const std::vector<Arm>& arms,
                           const std::string& directory);

// The copies in a run's directory, by their names in it ("recorded/1-arrivals.txt").
std::vector<std::string> kept_recordings(const std::string& directory);

// The scenario with the recordings that it names sought in `folder`, as from another place.
Scenario with_recordings_in(const std::string& folder, Scenario scenario);

}  // namespace retrystorm
