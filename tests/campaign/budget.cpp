#include "tests/campaign/budget.hpp"

#include "model/engines.hpp"

namespace retrystorm::campaign {

bool affordable(Engine engine, const Scenario& s) {
  // As the engine itself says, in the release build; sanitizers take some twenty times as long.
  constexpr double most_s = 0.05;
  return engine != Engine::testbed && cost_of(engine, s).seconds <= most_s;
}

}  // namespace retrystorm::campaign
