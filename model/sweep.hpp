// The cliff: one field moved through a range, a tally for each step, and the knee.
#pragma once

#include "core/fields.hpp"
#include "core/scenario.hpp"
#include "core/stop.hpp"
#include "core/tally.hpp"
#include "model/engines.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

struct Sweep {
  std::string field;               // its path
  std::vector<FieldValue> values;  // in the order of the sweep
};

// "client.rate=600..1600:20": from 600 to 1600 in steps of 20, the end included when a step meets
// it; `rate` alone is client.rate. Durations with their units ("client.timeout=50ms..200ms:10ms");
// the field must be a number, a rate or a duration. Throws InvalidInput naming `where`; at most
// 100,000 steps.
Sweep parse_sweep(std::string_view text, std::string_view where);

struct SweepStep {
  FieldValue value;
  Scenario scenario;
  Tally tally;
};

// One prediction for each value, over `base`; the first ones only if `stop` says so between two, or
// ends one.
// Throws what `predict` throws, and InvalidInput where a value does not fit the rest of the
// scenario.
std::vector<SweepStep> sweep(const Scenario& base, const Sweep& range, const Predict& predict,
                             const Stop& stop = {});

// What a sweep by that engine takes; values that do not fit the scenario, or that the engine does
// not model, take nothing.
Cost sweep_cost(const Scenario& base, const Sweep& range, Engine engine,
                const PredictOptions& options);

struct Knee {
  double rate = 0;  // requests per second
  double goodput_per_s = 0;
};

// The highest load of a sweep of client.rate whose settled goodput keeps `share_ppm` of what is
// offered, before the first load that does not, that does not settle, or that exceeds the ceiling:
// there what looks kept is a queue that still fills. Nothing if the first does not, or for sweeps
// of another field.
std::optional<Knee> knee(const Sweep& range, const std::vector<SweepStep>& steps,
                         std::int64_t share_ppm = 990'000);

boost::json::value to_json(const Knee& knee);

}  // namespace retrystorm
