#include "model/fluid/fluid.hpp"

#include "model/fluid/fluid_flow.hpp"
#include "model/fluid/fluid_rounds.hpp"
#include "model/honours.hpp"
#include "model/latencies.hpp"

#include <optional>

namespace retrystorm {
namespace {

// The exact answer, where there is one.
std::optional<FluidAnswer> by_rounds(const Scenario& scenario, Meter* meter) {
  if (answered_by_rounds(scenario)) return fluid_by_rounds(scenario, meter);
  // Below the ceiling a run in which every first attempt succeeds is the same with retries and
  // without.
  Scenario without = scenario;
  without.client.retries = 0;
  if (scenario.client.rate > ceiling(scenario) || !answered_by_rounds(without)) return std::nullopt;
  FluidAnswer answer = fluid_by_rounds(without, meter);
  if (answer.tally.counts.succeeded != answer.tally.counts.offered) return std::nullopt;
  return answer;
}

// How far the flow's counts may be off: tests/model/fluid/fluid_test.cpp holds it to them.
std::string error_of_flow(const Scenario& s) {
  const auto useful = useful_queue(s);
  const bool long_queue = useful && queue_places(s) >= *useful + s.service.workers;
  return long_queue ? "retries as a flow: counts within 2 % of the attempts"
                    : "retries as a flow, which does not know who finds the last place of a queue "
                      "that is useful or nearly so: counts mostly within a fifth of the attempts, "
                      "with hardly any queue three quarters off; simulate follows each attempt";
}

}  // namespace

FluidAnswer fluid_answer(const Scenario& scenario, bool approximate, Meter* meter) {
  const auto left_out = honour(Engine::fluid, scenario, approximate);
  const auto exact = by_rounds(scenario, meter);
  FluidAnswer found = exact ? *exact : fluid_by_flow(scenario, meter);
  if (!left_out.empty()) forget_latencies(found.tally);
  found.tally.approximations = left_out;
  if (!exact) found.tally.approximations.push_back(error_of_flow(scenario));
  return found;
}

Tally fluid(const Scenario& scenario, bool approximate, Meter* meter) {
  return fluid_answer(scenario, approximate, meter).tally;
}

Cost fluid_cost(const Scenario& scenario) {
  return answered_by_rounds(scenario) ? cost_of_rounds(scenario) : cost_of_flow(scenario);
}

}  // namespace retrystorm
