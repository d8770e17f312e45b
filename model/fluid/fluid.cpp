#include "model/fluid/fluid.hpp"

#include "model/fluid/fluid_flow.hpp"
#include "model/fluid/fluid_rounds.hpp"
#include "model/honours.hpp"

namespace retrystorm {

namespace {

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

FluidAnswer fluid_answer(const Scenario& scenario, bool approximate) {
  const auto left_out = honour(Engine::fluid, scenario, approximate);
  const bool exact = answered_by_rounds(scenario);
  FluidAnswer answer = exact ? fluid_by_rounds(scenario) : fluid_by_flow(scenario);
  answer.tally.approximations = left_out;
  if (!exact) answer.tally.approximations.push_back(error_of_flow(scenario));
  return answer;
}

Tally fluid(const Scenario& scenario, bool approximate) {
  return fluid_answer(scenario, approximate).tally;
}

}  // namespace retrystorm
