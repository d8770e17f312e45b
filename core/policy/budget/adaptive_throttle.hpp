// Adaptive throttling (Site Reliability Engineering, chapter 21, "Client-Side Throttling"): each
// attempt, first tries too, is kept back with probability
// max(0, (requests - K x accepts) / (requests + 1)) over the latest window, in which those kept
// back count as requests. So the service is asked about K times as often as it accepts.
#pragma once

#include "core/engine.hpp"
#include "core/outcome.hpp"
#include "core/policy/budget/sliced_counts.hpp"
#include "core/random.hpp"
#include "core/reason.hpp"
#include "core/units.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace retrystorm {

template <typename T>
struct FieldOf;

struct AdaptiveThrottle {
  static constexpr std::string_view name = "adaptive-throttle";
  static constexpr std::string_view help =
      "attempts are kept back at random where few are accepted";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = true;

  double k = 2;
  Duration window = std::chrono::minutes(2);

  enum Kind : std::size_t { requests, accepts };
  struct State {
    SlicedCounts<2> counts;
  };

  State start() const { return {}; }
  Reason may_send(State& s, Instant now, Random& random, std::uint32_t&) const {
    s.counts.advance(now, window);
    const auto asked = static_cast<double>(s.counts.sum(requests));
    const double refused = (asked - k * static_cast<double>(s.counts.sum(accepts))) / (asked + 1);
    s.counts.add(requests);
    return refused > 0 && random.uniform() < refused ? Reason::throttled : Reason::none;
  }
  // Accepted is what the service answered, if not with a refusal: an error of its own is an answer.
  void ended(State& s, Instant now, AttemptOutcome outcome, bool, std::uint32_t) const {
    if (outcome != AttemptOutcome::succeeded && outcome != AttemptOutcome::failed_status) return;
    s.counts.advance(now, window);
    s.counts.add(accepts);
  }

  template <typename S = FieldOf<AdaptiveThrottle>>
  static std::vector<S> settings() {
    using Self = AdaptiveThrottle;
    using namespace std::chrono_literals;
    return {{"throttle_k", typename S::Number{&Self::k, 1, 1000}, engines,
             "attempts for each accepted one before any is kept back (adaptive throttle)"},
            {"throttle_window", typename S::Length{&Self::window, 1ms, 1h}, engines,
             "what the throttle counts, in ten slices (adaptive throttle)"}};
  }
};

}  // namespace retrystorm
