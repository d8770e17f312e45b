#include "model/oncall/morning.hpp"

#include "model/oncall/step.hpp"

#include <algorithm>

namespace retrystorm::oncall {
namespace {

void add(Summary& sum, const Minute& m) {
  const double requests = 60 * m.requests_per_s;
  sum.requests += requests;
  sum.shed += requests * m.shed_share;
  sum.failed += requests * (1 - m.shed_share) * m.error_rate;
  sum.worst_p99_ms = std::max(sum.worst_p99_ms, m.p99_ms);
  sum.peak_database_utilization = std::max(sum.peak_database_utilization, m.database_utilization);
  sum.peak_instances = std::max(sum.peak_instances, m.instances_serving + m.instances_booting);
  if (m.alert && !sum.alert_clock) sum.alert_clock = m.clock;
}

}  // namespace

Morning play(const Day& day, std::uint32_t seed, Operator who, int closing_clock) {
  std::visit([&](auto& one) { one.begin(seed, day.constants); }, who);
  Stepped now = opening(day, seed);
  Morning morning;
  morning.minutes.push_back(now.minute);
  Summary& sum = morning.summary;
  while (now.minute.clock < closing_clock) {
    const Sight sight{now.minute, now.state.controls, day.constants, day};
    const std::vector<Action> actions =
        std::visit([&](auto& one) { return one.decide(sight); }, who);
    sum.actions += actions.size();
    now = step(std::move(now.state), day, actions);
    morning.minutes.push_back(now.minute);
    add(sum, now.minute);
  }
  sum.budget_left = now.minute.budget_left;
  sum.budget_spent = day.budget_left - now.minute.budget_left;
  sum.cost = now.minute.cost;
  if (const auto* script = std::get_if<ScriptedOperator>(&who)) {
    sum.actions_not_reached = script->not_reached();
  }
  return morning;
}

}  // namespace retrystorm::oncall
