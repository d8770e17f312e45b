// Retries as a share of the requests of the latest window, and a floor beneath it: at most
// ratio x requests + floor x window retries in it, as Finagle's and Linkerd's budgets have it.
#pragma once

#include "core/engine.hpp"
#include "core/outcome.hpp"
#include "core/policy/budget/sliced_counts.hpp"
#include "core/reason.hpp"
#include "core/units.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace retrystorm {

template <typename T>
struct FieldOf;

struct RetryRatio {
  static constexpr std::string_view name = "ratio";
  static constexpr std::string_view help = "retries are a share of the requests of a window";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = false;

  double ratio = 0.2;
  double floor = 10;  // per second
  Duration window = std::chrono::seconds(10);

  enum Kind : std::size_t { requests, retries };
  struct State {
    SlicedCounts<2> counts;
  };

  State start() const { return {}; }
  void sent(State& s, Instant now, bool retry) const {
    if (retry) return;  // counted when it was allowed
    s.counts.advance(now, window);
    s.counts.add(requests);
  }
  Reason may_retry(State& s, Instant now, AttemptOutcome, std::uint32_t&) const {
    s.counts.advance(now, window);
    const double most =
        ratio * static_cast<double>(s.counts.sum(requests)) + floor * seconds(window);
    if (static_cast<double>(s.counts.sum(retries) + 1) > most + rounding) {
      return Reason::budget_exhausted;
    }
    s.counts.add(retries);
    return Reason::none;
  }

  template <typename S = FieldOf<RetryRatio>>
  static std::vector<S> settings() {
    using Self = RetryRatio;
    using namespace std::chrono_literals;
    return {{"budget_ratio", typename S::Number{&Self::ratio, 0, 1000}, engines,
             "retries per request of the window (ratio budget)"},
            {"budget_floor", typename S::Number{&Self::floor, 0, 1e6}, engines,
             "retries per second that there may be in any case (ratio budget)"},
            {"budget_window", typename S::Length{&Self::window, 1ms, 1h}, engines,
             "what the ratio counts, in ten slices (ratio budget)"}};
  }

 private:
  static constexpr double rounding = 1e-6;  // 0.1 x 30 is 3
};

}  // namespace retrystorm
