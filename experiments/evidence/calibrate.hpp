// What a measured try says about the world it ran in: when its requests really left, how long work
// really took, how long the ways were and how much they varied. The simulation takes these in place
// of the nominal ones.
#pragma once

#include "core/scenario.hpp"
#include "experiments/evidence/import.hpp"
#include "model/simulate/simulate.hpp"

#include <vector>

namespace retrystorm {

struct Calibration {
  Scenario scenario;  // with the effective mean work and the typical round trip of kept connections
  std::vector<Instant> first_sends;  // of attempt 0 of each request that was sent
  std::vector<Duration> work;        // occupancy (finished - picked) of each start, in their order
  Noise noise;
};

// Calibrates by one imported try. A way's fixed part is the 5th percentile of what was measured,
// its noise the mean excess over that up to the 99th (beyond it are stalls, which hit both sides
// and are no property of a way).
Calibration calibrate(Database& database, const TryKey& key, const Scenario& scenario);

}  // namespace retrystorm
