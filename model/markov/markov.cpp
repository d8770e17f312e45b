#include "model/markov/markov.hpp"

#include "model/honours.hpp"
#include "model/latencies.hpp"
#include "model/markov/mean_field.hpp"

namespace retrystorm {

Tally markov(const Scenario& scenario, bool approximate, Meter* meter) {
  auto left_out = honour(Engine::markov, scenario, approximate);
  Tally t = mean_field(scenario, meter);
  if (!left_out.empty()) forget_latencies(t);
  t.approximations = std::move(left_out);
  if (scenario.client.retries > 0) {
    t.approximations.emplace_back(
        "retries as part of one Poisson stream of the expected rate: chance switching between the "
        "good and the collapsed state is left out; latencies only where fewer than one request in "
        "100,000 is retried");
  }
  return t;
}

}  // namespace retrystorm
