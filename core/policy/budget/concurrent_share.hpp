// Retries as a share of what is active at once: those waiting or in flight, the new one included,
// are at most max(least, floor(share x (attempts in flight + retries waiting))), which the new one
// does not raise. As Envoy's retry budget has it.
#pragma once

#include "core/engine.hpp"
#include "core/outcome.hpp"
#include "core/reason.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace retrystorm {

template <typename T>
struct FieldOf;

struct ConcurrentShare {
  static constexpr std::string_view name = "concurrent";
  static constexpr std::string_view help =
      "retries are a share of the attempts in flight or waiting";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = false;

  double share = 0.2;
  std::int64_t least = 3;

  struct State {
    std::int64_t in_flight = 0;  // attempts, retries among them
    std::int64_t retrying = 0;   // retries in flight
    std::int64_t waiting = 0;    // retries not sent yet
  };

  State start() const { return {}; }
  void sent(State& s, Instant, bool retry) const {
    ++s.in_flight;
    if (!retry) return;
    ++s.retrying;
    --s.waiting;
  }
  void ended(State& s, Instant, AttemptOutcome, bool retry, std::uint32_t) const {
    --s.in_flight;
    if (retry) --s.retrying;
  }
  void not_made(State& s, Instant now, bool retry, std::uint32_t mark) const {
    ended(s, now, AttemptOutcome::unfinished, retry, mark);
  }
  void retry_dropped(State& s) const { --s.waiting; }
  Reason may_retry(State& s, Instant, AttemptOutcome, std::uint32_t&) const {
    const double part = share * static_cast<double>(s.in_flight + s.waiting);
    const std::int64_t most = std::max(least, static_cast<std::int64_t>(part + rounding));
    if (s.retrying + s.waiting + 1 > most) return Reason::budget_exhausted;
    ++s.waiting;
    return Reason::none;
  }

  template <typename S = FieldOf<ConcurrentShare>>
  static std::vector<S> settings() {
    using Self = ConcurrentShare;
    return {{"budget_share", typename S::Number{&Self::share, 0, 1}, engines,
             "retries of what is in flight or waiting (concurrent budget)"},
            {"budget_least", typename S::Whole{&Self::least, 0, 1'000'000}, engines,
             "retries at once that there may be in any case (concurrent budget)"}};
  }

 private:
  static constexpr double rounding = 1e-6;  // 0.2 x 15 is 3
};

}  // namespace retrystorm
