#include "model/fluid/fluid.hpp"

#include "model/fluid/fluid_flow.hpp"
#include "model/fluid/fluid_rounds.hpp"
#include "model/honours.hpp"

namespace retrystorm {

FluidAnswer fluid_answer(const Scenario& scenario, bool approximate) {
  const auto left_out = honour(Engine::fluid, scenario, approximate);
  FluidAnswer answer =
      answered_by_rounds(scenario) ? fluid_by_rounds(scenario) : fluid_by_flow(scenario);
  answer.tally.approximations = left_out;
  return answer;
}

Tally fluid(const Scenario& scenario, bool approximate) {
  return fluid_answer(scenario, approximate).tally;
}

}  // namespace retrystorm
