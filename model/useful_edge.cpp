#include "model/useful_edge.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {

std::string edge_words(const Scenario& s) {
  std::vector<std::string_view> chance;
  if (s.client.arrivals == ArrivalProcess::poisson) chance.emplace_back("Poisson arrivals");
  if (s.service.work_shape == WorkShape::exponential) chance.emplace_back("exponential work");
  if (s.service.work_shape == WorkShape::lognormal) chance.emplace_back("lognormal work");
  if (s.service.recorded_work) chance.emplace_back("recorded work");
  if (!chance.empty()) {
    return fmt::format(
        "with {} that edge is a slope, not a step, and some before it are served too late, some "
        "beyond it in time.",
        fmt::join(chance, " and "));
  }
  const std::int64_t useful = useful_queue(s).value_or(0);
  const std::int64_t rounds = useful / s.service.workers;
  const std::int64_t none_past = (rounds + 1) * s.service.workers;
  // What the patience lacks to a whole round more; a place falls free no later than that before the
  // next attempt comes.
  const Duration patience = s.client.timeout - s.network.round_trip - s.service.work;
  const double lacks = seconds((rounds + 1) * s.service.work - patience);
  const double attempts_per_s = s.client.rate * static_cast<double>(s.client.retries + 1);
  if (useful + 1 == none_past && lacks * attempts_per_s <= 1) return {};
  return fmt::format(
      "the first {} are served in time however unevenly the workers finish, none past {}, and "
      "between the two it hangs on that.",
      rounds * s.service.workers, none_past);
}

}  // namespace retrystorm
