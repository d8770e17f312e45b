#include "core/policy/budget.hpp"

#include "core/classes.hpp"
#include "core/field_list.hpp"
#include "core/field_tables.hpp"

namespace retrystorm {

Callers::Callers(const Scenario& s)
    : count_(keeps_account(s.client) ? static_cast<std::uint32_t>(s.client.callers) : 1),
      drawn_(s.client.arrivals == ArrivalProcess::poisson),
      seed_(static_cast<std::uint64_t>(s.seed)) {}

BudgetAccounts::BudgetAccounts(const Scenario& scenario, std::uint64_t member,
                               std::uint32_t callers)
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

std::uint64_t most_shares(const Scenario& s, std::uint64_t wanted) {
  bool account = false;
  for (std::size_t c = 0; c < class_count(s); ++c) {
    account = account || keeps_account(scenario_of_class(s, c).client);
  }
  if (!account) return wanted;
  if (s.client.arrivals == ArrivalProcess::poisson || s.client.users) return 1;
  while (static_cast<std::uint64_t>(s.client.callers) % wanted != 0) --wanted;
  return wanted;
}

void declare_budget(FieldList& list) {
  using C = ClientSettings;
  list.add_choice(client_table, "budget", &C::budget,
                  "what may be spent on retries, or sent at all, after failures");
  list.add(client_table, {{"callers", Whole<C>{&C::callers, 1, 100'000}, sampling_engines,
                           "who share the requests, each with a budget of its own"}});
}

}  // namespace retrystorm
