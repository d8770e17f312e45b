// The accounts of the retry budget (an error budget is another thing): what each caller has spent,
// and whether it may send or retry. One caller's state is its own: many small callers have many
// small budgets.
#pragma once

#include "core/policy/budgets.hpp"
#include "core/random.hpp"
#include "core/scenario.hpp"

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace retrystorm {

// Whose request each is: those of an even schedule take turns, those of a Poisson one are drawn.
class Callers {
 public:
  explicit Callers(const Scenario& scenario);

  // One where there is no budget: then it does not matter.
  std::uint32_t count() const { return count_; }
  std::uint32_t of(std::uint64_t request) const {
    if (count_ == 1) return 0;
    const std::uint64_t turn = drawn_ ? Random(seed_, Stream::callers, request)() : request;
    return static_cast<std::uint32_t>(turn % count_);
  }

 private:
  std::uint32_t count_;
  bool drawn_;
  std::uint64_t seed_;
};

class BudgetAccounts {
 private:
  template <typename Alternatives>
  struct StatesOf;
  template <typename... Kinds>
  struct StatesOf<std::tuple<Kinds...>> {
    using Type = std::tuple<std::vector<typename Kinds::State>...>;
  };

  // f(the chosen one, the caller's state).
  template <typename F>
  decltype(auto) act(std::uint32_t caller, F&& f) {
    return kinds_.visit([&](const auto& kind) -> decltype(auto) {
      using State = typename std::decay_t<decltype(kind)>::State;
      return f(kind, std::get<std::vector<State>>(states_)[caller]);
    });
  }

 public:
  // `member`: which of several clients that share a seed. Callers count from 0.
  BudgetAccounts(const Scenario& scenario, std::uint64_t member, std::uint32_t callers = 1);

  // Whether an attempt may be sent at `now`, its first try or a retry: the reason if not. What it
  // leaves in `mark` stays with the attempt.
  Reason may_send(std::uint32_t caller, Instant now, std::uint32_t& mark) {
    return act(caller, [&](const auto& kind, auto& state) {
      if constexpr (requires { kind.may_send(state, now, random_, mark); }) {
        return kind.may_send(state, now, random_, mark);
      } else {
        return Reason::none;
      }
    });
  }
  // It was sent.
  void sent(std::uint32_t caller, Instant now, bool retry) {
    act(caller, [&](const auto& kind, auto& state) {
      if constexpr (requires { kind.sent(state, now, retry); }) kind.sent(state, now, retry);
    });
  }
  // It could not be made after all.
  void not_made(std::uint32_t caller, Instant now, bool retry, std::uint32_t mark) {
    act(caller, [&](const auto& kind, auto& state) {
      if constexpr (requires { kind.not_made(state, now, retry, mark); }) {
        kind.not_made(state, now, retry, mark);
      }
    });
  }
  // An attempt ended so.
  void ended(std::uint32_t caller, Instant now, AttemptOutcome outcome, bool retry,
             std::uint32_t mark) {
    act(caller, [&](const auto& kind, auto& state) {
      if constexpr (requires { kind.ended(state, now, outcome, retry, mark); }) {
        kind.ended(state, now, outcome, retry, mark);
      }
    });
  }
  // Whether a retry after such an end may be made, now or after a delay: the reason if not. It is
  // paid for here.
  Reason may_retry(std::uint32_t caller, Instant now, AttemptOutcome outcome, std::uint32_t& mark) {
    return act(caller, [&](const auto& kind, auto& state) {
      if constexpr (requires { kind.may_retry(state, now, outcome, mark); }) {
        return kind.may_retry(state, now, outcome, mark);
      } else {
        return Reason::none;
      }
    });
  }
  // A retry that might be made was not sent; what it cost is not given back.
  void retry_dropped(std::uint32_t caller) {
    act(caller, [&](const auto& kind, auto& state) {
      if constexpr (requires { kind.retry_dropped(state); }) kind.retry_dropped(state);
    });
  }

 private:
  Budgets kinds_;
  StatesOf<Budgets::Tuple>::Type states_;  // by caller; none of those that are not chosen
  Random random_;
};

// Whether the budget may keep back a first try too, so that its request is unsent.
bool keeps_first_tries_back(const ClientSettings& client);

// Whether the budget keeps account of anything.
bool keeps_account(const ClientSettings& client);

// In how many shares at most, up to `wanted` (above 0), the schedule can be dealt out one by one so
// that all requests of a caller are in one: shares keep no account together.
std::uint64_t most_shares(const Scenario& scenario, std::uint64_t wanted);

// The fields of this policy.
void declare_budget(FieldList& list);

}  // namespace retrystorm
