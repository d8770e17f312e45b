#include "core/policy/budget.hpp"

#include "core/field_list.hpp"
#include "core/field_tables.hpp"

namespace retrystorm {

Budget::Budget(const Scenario& scenario, std::uint64_t member, std::uint32_t callers)
    : kinds_(*scenario.client.budget),
      random_(static_cast<std::uint64_t>(scenario.seed), Stream::budget, member) {
  kinds_.visit([&](const auto& kind) {
    using State = typename std::decay_t<decltype(kind)>::State;
    State start{};
    if constexpr (requires { kind.start(); }) start = kind.start();
    std::get<std::vector<State>>(states_).assign(callers, start);
  });
}

bool keeps_first_tries_back(const ClientSettings& client) {
  return client.budget->visit([](const auto& kind) {
    using Kind = std::decay_t<decltype(kind)>;
    return requires(const Kind& k, typename Kind::State& s, Random& r, std::uint32_t& mark) {
      k.may_send(s, Instant(), r, mark);
    };
  });
}

bool keeps_account(const ClientSettings& client) {
  return !client.budget->is<NoBudget>();
}

void declare_budget(FieldList& list) {
  list.add_choice(client_table, "budget", &ClientSettings::budget,
                  "what may be spent on retries, or sent at all, after failures");
}

}  // namespace retrystorm
