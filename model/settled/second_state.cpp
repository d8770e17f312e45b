#include "model/settled/second_state.hpp"

#include "model/settled/stationary.hpp"

#include <algorithm>

namespace retrystorm {

std::optional<SecondState> second_state(const Scenario& s, Meter* meter) {
  if (s.client.retries == 0) return std::nullopt;
  const auto states = settled_states(s, meter);
  const SettledState& last = states.back();
  const double lost = states.front().goodput_per_s - last.goodput_per_s;
  if (!last.stable || lost <= 0.01 * s.client.rate) return std::nullopt;
  const auto bends = folds(s, meter);
  const double from = bends ? std::min(bends->lower.rate, s.client.rate) : s.client.rate;
  return SecondState{last.attempts_per_s, last.goodput_per_s, from};
}

Cost second_state_cost(const Scenario& s) {
  if (s.client.retries == 0) return {};
  return stationary_cost(s) + folds_cost(s);
}

}  // namespace retrystorm
