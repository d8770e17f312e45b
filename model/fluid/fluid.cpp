#include "model/fluid/fluid.hpp"

#include "model/fluid/fluid_flow.hpp"
#include "model/fluid/fluid_rounds.hpp"
#include "model/honours.hpp"
#include "model/latencies.hpp"

namespace retrystorm {
namespace {

// Below the ceiling a run in which every first attempt succeeds is the same with retries and
// without.
FluidAnswer answer(const Scenario& scenario) {
  Scenario without = scenario;
  without.client.retries = 0;
  const bool may_retry = scenario.client.retries > 0;
  if (answered_by_rounds(without) && !(may_retry && scenario.client.rate > ceiling(scenario))) {
    FluidAnswer by_rounds = fluid_by_rounds(without);
    const Counts& c = by_rounds.tally.counts;
    if (!may_retry || c.succeeded == c.offered) return by_rounds;
  }
  return fluid_by_flow(scenario);
}

}  // namespace

FluidAnswer fluid_answer(const Scenario& scenario, bool approximate) {
  const auto left_out = honour(Engine::fluid, scenario, approximate);
  FluidAnswer found = answer(scenario);
  if (!left_out.empty()) forget_latencies(found.tally);
  found.tally.approximations = left_out;
  return found;
}

Tally fluid(const Scenario& scenario, bool approximate) {
  return fluid_answer(scenario, approximate).tally;
}

}  // namespace retrystorm
