// A circuit breaker. Closed, it counts how attempts end; when enough of the latest window failed it
// opens, and keeps back every attempt, first tries too. After a while it is half open: a few
// attempts go through as trials. All of them well, it closes and forgets; the first failure opens
// it again. What was sent in a state counts in that one alone. (M. Nygard, Release It!, 2007; the
// defaults are Hystrix's.)
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

class Random;
template <typename T>
struct FieldOf;

struct CircuitBreaker {
  static constexpr std::string_view name = "circuit-breaker";
  static constexpr std::string_view help = "nothing is sent for a while after many failures";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = false;

  double ratio = 0.5;
  std::int64_t calls = 20;
  Duration window = std::chrono::seconds(10);
  Duration open_for = std::chrono::seconds(5);
  std::int64_t trials = 1;

  enum Kind : std::size_t { all, failed };
  enum class Phase : std::uint8_t { closed, open, half_open };
  struct State {
    Phase phase = Phase::closed;
    std::uint32_t era = 0;  // how often the phase has changed: the mark of what is sent in it
    Instant opened{};
    std::int64_t trials_sent = 0, trials_well = 0;
    SlicedCounts<2> counts;
  };

  State start() const { return {}; }
  Reason may_send(State& s, Instant now, Random&, std::uint32_t& mark) const {
    if (s.phase == Phase::open && now >= s.opened + open_for) {
      enter(s, Phase::half_open);
      s.trials_sent = s.trials_well = 0;
    }
    if (s.phase == Phase::open) return Reason::breaker_open;
    if (s.phase == Phase::half_open && s.trials_sent++ >= trials) {
      --s.trials_sent;
      return Reason::breaker_open;
    }
    mark = s.era;
    return Reason::none;
  }
  void ended(State& s, Instant now, AttemptOutcome outcome, bool, std::uint32_t mark) const {
    if (mark != s.era) return;
    const bool well = outcome == AttemptOutcome::succeeded;
    if (s.phase == Phase::half_open) {
      if (!well) {
        open(s, now);
      } else if (++s.trials_well == trials) {
        enter(s, Phase::closed);
        s.counts = {};
      }
      return;
    }
    s.counts.advance(now, window);
    s.counts.add(all);
    if (!well) s.counts.add(failed);
    const std::uint64_t seen = s.counts.sum(all);
    if (!well && seen >= static_cast<std::uint64_t>(calls) &&
        static_cast<double>(s.counts.sum(failed)) >= ratio * static_cast<double>(seen)) {
      open(s, now);
    }
  }
  // A trial that could not be made is none.
  void not_made(State& s, Instant, bool, std::uint32_t mark) const {
    if (mark == s.era && s.phase == Phase::half_open) --s.trials_sent;
  }

  template <typename S = FieldOf<CircuitBreaker>>
  static std::vector<S> settings() {
    using Self = CircuitBreaker;
    using namespace std::chrono_literals;
    return {{"breaker_ratio", typename S::Number{&Self::ratio, 0.001, 1}, engines,
             "failed attempts of all in the window that open it (circuit breaker)"},
            {"breaker_calls", typename S::Whole{&Self::calls, 1, 1'000'000}, engines,
             "with fewer attempts in the window it stays closed (circuit breaker)"},
            {"breaker_window", typename S::Length{&Self::window, 1ms, 1h}, engines,
             "what the breaker counts, in ten slices (circuit breaker)"},
            {"breaker_open_for", typename S::Length{&Self::open_for, 1ms, 1h}, engines,
             "how long nothing is sent before it is half open (circuit breaker)"},
            {"breaker_trials", typename S::Whole{&Self::trials, 1, 1'000'000}, engines,
             "attempts that it lets through half open, and that must go well (circuit breaker)"}};
  }

 private:
  static void enter(State& s, Phase phase) {
    s.phase = phase;
    ++s.era;
  }
  static void open(State& s, Instant now) {
    enter(s, Phase::open);
    s.opened = now;
  }
};

}  // namespace retrystorm
